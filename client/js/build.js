// Builds what the package holds: modules with their types, and one file of all for pages without modules.

import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

// By its place, as another version of the compiler is there to check the types with.
const COMPILER = at("node_modules/typescript/bin/tsc");

// What is left of modules that are no more would be packed as well.
rmSync(at("dist"), { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [COMPILER, "--project", at("tsconfig.json")], { stdio: "inherit" });
if (status !== 0) process.exit(1);
// Programs of modules that require have declarations of their own: TypeScript takes the others for those of another kind.
for (const name of readdirSync(at("dist")).filter((name) => name.endsWith(".d.ts"))) {
  const declarations = readFileSync(at(`dist/${name}`), "utf8");
  writeFileSync(at(`dist/${name.replace(".d.ts", ".d.cts")}`), declarations.replaceAll('.js"', '.cjs"'));
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
