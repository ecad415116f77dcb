/** Cells of a map by name: which of them a place is in. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { AnswerError, cellAt } from "../dist/index.js";

const CELLS = ["0:0.1,0:0.3", "0.1:0.7,0:0.3", "-1/3:0.7,0.3:1"];

test("a place is in one cell, by decimals; second ends are in on the far borders alone", () => {
  const inside = [[0.1, 0.2, 1], [0.0999, 0.2999, 0], [0.7, 0.3, 2], [0.7, 0.1, 1], [0, 1, 2], [-0.3, 0.5, 2]];
  for (const [x, y, place] of inside) assert.equal(cellAt(CELLS, x, y), CELLS[place]);
});

test("a place in no cell is refused, and so are cells that are none", () => {
  for (const [x, y] of [[0.71, 0.5], [-0.4, 0.5], [0.5, 1.1], [-0.1, 0.1], [NaN, 0]]) {
    assert.throws(() => cellAt(CELLS, x, y), AnswerError);
  }
  assert.throws(() => cellAt(["West"], 0, 1), AnswerError);
});
