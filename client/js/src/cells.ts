/**
 * Cells of a map that are rectangles with names such as `0:1,2.5:4` (`ldp/answers/cells.py`): which of them a place is in, exactly, by
 * the decimals of numbers as they are written.
 */

import { AnswerError } from "./errors.js";
import { FRACTION, type Fraction, exactly, less, readFraction } from "./fraction.js";

type Span = readonly [Fraction, Fraction];

const DECIMAL = /^(-?[0-9]{1,40})(?:\.([0-9]{1,40}))?$/;

/** The name of the cell that a place is in; second ends are in on the far borders alone. Throws `AnswerError` for no cell. */
export function cellAt(cells: readonly string[], x: number, y: number): string {
  const place = [exactly(x), exactly(y)];
  const spans = cells.map((name) => name.split(",").map(spanOf));
  const most = [0, 1].map((axis) => spans.map((sides) => sides[axis]![1]).reduce((one, other) => (less(one, other) ? other : one)));
  const at = spans.findIndex((sides) => sides.every(([low, high], axis) => {
    const number = place[axis];
    if (!number || less(number, low) || less(high, number)) return false;
    return less(number, high) || !less(high, most[axis]!);
  }));
  if (at < 0) throw new AnswerError("expected a place in one of the question's cells, got one in none of them");
  return cells[at]!;
}

function spanOf(text: string): Span {
  const [low = "", high = ""] = text.split(":");
  return [numberOf(low), numberOf(high)];
}

function numberOf(text: string): Fraction {
  if (FRACTION.test(text)) return readFraction(text);
  const [, whole, decimals = ""] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) throw new AnswerError("expected cells with names such as 0:1,2.5:4 (x, then y)");
  return [BigInt(whole + decimals), 10n ** BigInt(decimals.length)];
}
