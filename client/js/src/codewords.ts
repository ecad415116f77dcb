/**
 * Codewords (`ldp/mechanisms/vectors/codewords.py`): vectors of normally distributed whole numbers, which a seed gives to everyone alike, from
 * a hash function and a table.
 */

import { xxh64 } from "./hashing.js";

const CODES = 1 << 15;
const STEPS = 1600;
const BITS = 128n;
/** e^(-1 / (2 x 256^2)), rounded down to 128 bits after the point. */
const DECAY = 0xFFFF80001FFFFAAAAB5555444445B05An;

const PER_HASH = 4;

let table: Int16Array | undefined;

/** The coordinates of all half-words, in their order; worked out when they are first asked for. */
export function coordinates(): Int16Array {
  if (table) return table;
  const weights = [1n << BITS];
  let [weight, ratio] = [1n << BITS, DECAY];
  const squared = (DECAY * DECAY) >> BITS;
  while (weights.length < STEPS) {
    weight = (weight * ratio) >> BITS;
    ratio = (ratio * squared) >> BITS;
    weights.push(2n * weight);
  }
  const total = weights.reduce((sum, share) => sum + share);
  const made = new Int16Array(2 * CODES);
  let below = 0n;
  let at = 0;
  weights.forEach((share, magnitude) => {
    below += share;
    // Of the codes u, those with (2 u + 1) / 2^16 up to below / total.
    const codes = Math.min(Number((BigInt(2 * CODES) * below + total) / (2n * total)), CODES);
    for (; at < codes; at += 1) {
      made[at] = magnitude;
      made[CODES + at] = -magnitude;
    }
  });
  table = made;
  return made;
}

/** The products of a vector of whole numbers with each of the first words of a seed: exact, as all are below 2^53. */
export function products(seed: bigint, direction: Float64Array, words: number): number[] {
  const known = coordinates();
  const place = new Uint8Array(4);
  const view = new DataView(place.buffer);
  const sums: number[] = [];
  for (let word = 0; word < words; word += 1) {
    let sum = 0;
    for (let first = 0; first < direction.length; first += PER_HASH) {
      view.setUint32(0, word * 65536 + first / PER_HASH, true);
      const hash = xxh64(place, seed);
      const [upper, lower] = [Number(hash >> 32n), Number(hash & 0xFFFFFFFFn)];
      const halves = [upper >>> 16, upper & 0xFFFF, lower >>> 16, lower & 0xFFFF];
      const last = Math.min(PER_HASH, direction.length - first);
      for (let half = 0; half < last; half += 1) sum += known[halves[half]!]! * direction[first + half]!;
    }
    sums.push(sum);
  }
  return sums;
}
