/**
 * Ids of batches (`ldp/numbers/epochs.py`). Where a survey has epochs, an id begins with the one in which the batch was
 * made, so that a collector can forget the ids of those that are closed.
 */

import { type Bytes, concat, toBytes } from "./bytes.js";
import { type Random, bytesFrom } from "./randomness.js";

export const ID_SIZE = 16;

const NUMBER_SIZE = 4;
const LAST = 2 ** 32 - 1;

/** An id for a batch that is made at a time, of a survey with epochs of `length` seconds, or with none. */
export function batchId(random: Random, length: number | undefined, seconds: number): Bytes {
  if (length === undefined) return bytesFrom(random, ID_SIZE);
  const epoch = Math.min(Math.max(epochAt(seconds, length), 0), LAST);
  return concat([toBytes(BigInt(epoch), NUMBER_SIZE), bytesFrom(random, ID_SIZE - NUMBER_SIZE)]);
}

/** The number of the epoch in which a time lies. */
export function epochAt(seconds: number, length: number): number {
  return Math.floor(seconds / length);
}
