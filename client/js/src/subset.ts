/**
 * Subset selection (`ldp/mechanisms/values/subset.py`): a set of values, which holds the true one with odds R. A uniform set is
 * drawn first; then the truth is put in, or taken out, by exchanging it for a uniform member or stranger.
 */

import { type Bytes, bitLength, onesOf, toBytes, toInteger } from "./bytes.js";
import { type Random, bernoulli, bytesFrom, drawBelow } from "./randomness.js";
import { type Randomizer, type Value, hasBit, vectorWidth } from "./randomizer.js";
import type { Ratio } from "./ratio.js";

const SPARSE = 16;
const FEW = 12;

/** A set of `chosen` of `size` values. Sets that hold the truth have weight `truth`, others `other`. */
export class SubsetSelection implements Randomizer {
  readonly width: number;

  constructor(readonly size: number, readonly chosen: number, readonly truth: bigint, readonly other: bigint) {
    this.width = vectorWidth(size);
  }

  get ratio(): Ratio {
    return [this.truth, this.other];
  }

  randomize(value: Value, random: Random): Bytes {
    const { size, chosen } = this;
    const within = BigInt(chosen) * this.truth;
    const inside = bernoulli(within, within + BigInt(size - chosen) * this.other, random);
    const positions = drawBelow(size, random);
    const vector = uniformSet(size, chosen, positions, random);
    // Both are drawn whether or not they are needed, so that the bytes drawn say nothing.
    const member = memberOf(vector, size, chosen, positions);
    const stranger = memberOf(~vector, size, size - chosen, positions);
    const mark = 1n << BigInt(Number(value));
    const holds = (vector & mark) !== 0n;
    return toBytes(holds === inside ? vector : vector ^ mark ^ (inside ? member : stranger), this.width);
  }

  supports(report: Bytes, value: number): boolean {
    return hasBit(report, value);
  }
}

/**
 * A uniform set, as a vector: grown from the empty set by uniform sets of those positions that are not yet in it, which
 * are independent bits of some coarse rate, as long as they are no more than what is missing; the last few one by one.
 */
function uniformSet(size: number, chosen: number, positions: Iterator<number, never>, random: Random): bigint {
  let vector = 0n;
  let missing = chosen;
  // A rate a standard deviation below what is missing, so that it seldom turns out to be more.
  while (missing > FEW) {
    const rate = Math.floor(((missing - Math.floor(Math.sqrt(missing))) * 256) / (size - chosen + missing));
    if (!rate) break;
    const more = coarseBits(size, rate, random) & ~vector;
    const many = onesOf(more);
    if (many > missing) continue;
    vector |= more;
    missing -= many;
  }
  while (missing) {
    const grown = vector | (1n << BigInt(positions.next().value));
    missing -= Number(grown !== vector);
    vector = grown;
  }
  return vector;
}

/** Bits that are 1 with probability rate / 256: from the last digit of the rate on, `or` with fair bits for a 1, else `and`. */
function coarseBits(size: number, rate: number, random: Random): bigint {
  const width = Math.ceil(size / 8);
  const zeros = bitLength(BigInt(rate & -rate)) - 1;
  const tape = bytesFrom(random, (8 - zeros) * width);
  let vector = 0n;
  for (let digit = zeros; digit < 8; digit += 1) {
    const at = (digit - zeros) * width;
    const fair = toInteger(tape.subarray(at, at + width));
    vector = (rate >> digit) & 1 ? vector | fair : vector & fair;
  }
  return vector & ((1n << BigInt(size)) - 1n);
}

/** One of the `count` bits that are set among the first `size`, as a vector of its own. */
function memberOf(vector: bigint, size: number, count: number, positions: Iterator<number, never>): bigint {
  if (count * SPARSE >= size) {
    for (;;) {
      const bit = 1n << BigInt(positions.next().value);
      if (vector & bit) return bit;
    }
  }
  // So few that walking past them is quicker than trying positions.
  let draw: number;
  do draw = positions.next().value;
  while (draw >= size - (size % count));
  let rest = vector;
  for (let step = draw % count; step > 0; step -= 1) rest &= rest - 1n;
  return rest & -rest;
}
