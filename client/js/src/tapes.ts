/**
 * Randomness that comes back (`client/ldp_client/keeping/tapes.py`): tapes that a device's secret gives, in place of fresh ones.
 *
 * A store that is restored from a backup, or copied, has forgotten what was sent since. A device that draws from its secret
 * makes the same report of the same answer then, under the same id, and counts once.
 *
 *     key      BLAKE2b-512 of the parts, each with its length before it, under the secret (32 bytes)
 *     tape     BLAKE2b-512 of 0, 1, 2, ... (8 bytes, little-endian) under the key, end to end
 *
 * Two answers have tapes of their own: with one for both, their two reports together could tell what neither tells alone.
 */

import { blake2b } from "./blake2b.js";
import { type Bytes, bitLength, concat, toBytes, utf8 } from "./bytes.js";
import { epochAt } from "./epochs.js";
import type { Random } from "./randomness.js";
import type { Value } from "./randomizer.js";
import { type Part, netstrings } from "./sha256.js";
import type { Question } from "./survey.js";

export const SECRET_SIZE = 32;

const BLOCK = 64;
/** What keeps these uses of a secret, or of a key, apart from all others. */
const [KEYS, BLOCKS] = ["ldp-tape-key-1", "ldp-tape-1"];

/** The bytes that belong to a secret and some parts, one by one. */
export function tape(secret: Bytes, ...parts: readonly Part[]): Random {
  // Made once something is drawn: most answers are not rounded.
  let key: Bytes | undefined;
  let blocks = 0n;
  let left = new Uint8Array(0);
  return (size) => {
    key ??= blake2b(netstrings(parts), BLOCK, secret, KEYS);
    const pieces = [left];
    for (let missing = size - left.length; missing > 0; missing -= BLOCK) {
      pieces.push(blake2b(toBytes(blocks, 8), BLOCK, key, BLOCKS));
      blocks += 1n;
    }
    const whole = concat(pieces);
    left = whole.slice(size);
    return whole.slice(0, size);
  };
}

/**
 * What gives the batch of a report that is made once its id, in place of randomness: the same if it is made again, and another
 * one in each epoch, so that ids do not tell that batches of two epochs hold the same report.
 */
export function marked(mark: Bytes, epoch: number | undefined, seconds: number): Random {
  const number = epoch === undefined ? "" : String(epochAt(seconds, epoch));
  return (size) => blake2b(utf8(number), size, mark);
}

/** What a randomizer takes, as a part: no two values of a question are written alike. */
export function written({ randomizer }: Question, value: Value): Bytes {
  if (value instanceof Uint8Array) return concat([utf8("b"), value]);
  const number = typeof value === "number" ? BigInt(value) : numbered(value, randomizer.sizes);
  // One bit more than it has, for the sign that it has not.
  return concat([utf8("i"), toBytes(number, (bitLength(number) >> 3) + 1)]);
}

/** A set as the number whose bits are its values; those of fields as the cell of their table. */
function numbered(values: readonly number[], sizes: readonly number[] | undefined): bigint {
  if (!sizes) return values.reduce((set, value) => set | (1n << BigInt(value)), 0n);
  return values.reduce((cell, value, place) => cell * BigInt(sizes[place]!) + BigInt(value), 0n);
}
