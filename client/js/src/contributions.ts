/** What a device with many records answers with (`ldp/answers/contributions.py`): their mean or sum, the last, or one drawn. */

import { toInteger } from "./bytes.js";
import { type Random, bytesFrom } from "./randomness.js";
import type { Value } from "./randomizer.js";

export type PerDevice = "mean" | "sum" | "last" | "one";

/** A number between two points goes to the upper one with a probability of a whole number over 2^64. */
export const ROUNDING_BITS = 64n;

/** A value, and 2^64 times how far a number is on the way from there to the next. */
export interface Placed {
  readonly value: Value;
  readonly rest: bigint;
}

const CHOOSING_BYTES = 16;

/** One of the places; as many bytes are drawn for one as for many. */
export function chosen(places: readonly Placed[], random: Random): Placed {
  const drawn = toInteger(bytesFrom(random, CHOOSING_BYTES));
  return places[Number((drawn * BigInt(places.length)) >> BigInt(8 * CHOOSING_BYTES))]!;
}
