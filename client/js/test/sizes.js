// How large the package is in a program that uses it, bundled, minified and gzipped: `npm run sizes`. Fails above a limit.

import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

const PACKAGE = fileURLToPath(new URL("../", import.meta.url));

const ONE = `
  import { embeddedSurvey } from "ldpkit-client";
  import { choices } from "ldpkit-client/answers";
  import { grr } from "ldpkit-client/mechanisms";
  export const survey = (written) => embeddedSurvey(written, { mechanisms: [grr], answers: [choices] });
`;

/** What a program imports, and the most bytes that it may come to. */
export const PROGRAMS = {
  "a survey with one mechanism, randomized and framed": [`${ONE} export { reportBytes } from "ldpkit-client";`, 5_000],
  "the same with a client, which remembers": [`${ONE} export { Client, reportBytes } from "ldpkit-client";`, 8_000],
  "the same with an embedded client, which keeps, sends and accounts": [
    `${ONE} export { EmbeddedClient } from "ldpkit-client";`, 22_500,
  ],
  "everything, with all mechanisms": ['export * from "ldpkit-client";', 40_000],
};

export async function bytesOf(program) {
  const { outputFiles: [bundle] } = await build({
    stdin: { contents: program, resolveDir: PACKAGE }, bundle: true, minify: true, format: "esm", target: "es2022", write: false,
  });
  return gzipSync(bundle.contents, { level: 9 }).length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [what, [program, most]] of Object.entries(PROGRAMS)) {
    const bytes = await bytesOf(program);
    console.log(`${String(bytes).padStart(6)} bytes (at most ${most}): ${what}`);
    if (bytes > most) process.exitCode = 1;
  }
}
