// The program of the respondents' page that is kept with the aggregator is the one that is built from its sources.

import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { PAGE, built } from "../page/build.js";

test("the page's program is what npm run page builds", async () => {
  if (!(await built()).equals(await readFile(PAGE))) throw new Error("expected what npm run page builds; run it and commit");
});
