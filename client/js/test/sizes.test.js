// What a program that uses the package holds of it stays below limits.

import { test } from "node:test";

import { PROGRAMS, bytesOf } from "./sizes.js";

for (const [what, [program, most]] of Object.entries(PROGRAMS)) {
  test(`${what}, in at most ${most} bytes`, async () => {
    const bytes = await bytesOf(program);
    if (bytes > most) throw new Error(`expected at most ${most} bytes, got ${bytes}`);
  });
}
