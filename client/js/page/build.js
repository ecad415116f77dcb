// Builds the program of the respondents' page, `npm run page`. It is kept with the aggregator, so that `ldp survey page` needs no Node; a
// test holds that it is what is built from here.

import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

export const PAGE = at("../../../aggregator/ldp_service/respondents/static/page.js");

/** The bytes of the program. */
export async function built() {
  const { outputFiles: [bundle] } = await build({
    entryPoints: [at("main.ts")], bundle: true, minify: true, format: "esm", target: "es2022", write: false,
  });
  return Buffer.from(bundle.contents);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { writeFile } = await import("node:fs/promises");
  await writeFile(PAGE, await built());
}
