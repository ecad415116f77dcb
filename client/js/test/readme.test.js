// The README's example for Node runs as written, in the folder that it names.

import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";

const PACKAGE = new URL("../", import.meta.url);

test("the README's example for Node runs", async () => {
  const [, example] = (await readFile(new URL("README.md", PACKAGE), "utf8")).match(/```js\n(.*?)```/s);
  // Inside the package, whose name then means itself.
  const script = fileURLToPath(new URL("dist/readme.js", PACKAGE));
  await writeFile(script, example);
  try {
    const folder = fileURLToPath(new URL("../../examples/web", PACKAGE));
    const { stdout } = await promisify(execFile)(process.execPath, [script], { cwd: folder });
    if (stdout !== "1 58\n") throw new Error(`expected a row of 1 byte and a file of 58, got ${stdout}`);
  } finally {
    await rm(script);
  }
});
