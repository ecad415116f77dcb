// Builds what the package holds: modules with their types, and one file of all for pages without modules; and the program of
// the respondents' page, which is kept with the aggregator, so that `ldp page` needs no Node.

import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

// By its place, as another version of the compiler is there to check the types with.
const COMPILER = at("node_modules/typescript/bin/tsc");

const PAGE = at("../../aggregator/ldp_aggregator/service/respondents/static/page.js");
const projects = ["tsconfig.json", "page/tsconfig.json"];

// What is left of modules that are no more would be packed as well.
rmSync(at("dist"), { recursive: true, force: true });
for (const project of projects) {
  const { status } = spawnSync(process.execPath, [COMPILER, "--project", at(project)], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
await build({
  entryPoints: [at("dist/index.js")],
  outfile: at("dist/ldpkit-client.global.js"),
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "ldpkit",
  target: "es2022",
});
await build({ entryPoints: [at("page/main.ts")], outfile: PAGE, bundle: true, minify: true, format: "esm", target: "es2022" });
