/**
 * Randomness as an argument, and exact draws from it (`ldp/numbers/randomness.py`).
 *
 * A source is a function from a size to that many bytes. Every draw compares integers, so a probability of a/b is a/b;
 * and how many bytes are drawn never depends on a true value.
 */

import { type Bytes, bitLength, toInteger } from "./bytes.js";
import { RandomnessError } from "./errors.js";

export type Random = (size: number) => Bytes;

const MOST_AT_ONCE = 65536;
const RESERVE = 16;
/** Integers that are read from a source at once. */
const BLOCK = 32;

/** `size` bytes from the platform's cryptographic generator. */
export function system(size: number): Bytes {
  const drawn = new Uint8Array(size);
  try {
    for (let at = 0; at < size; at += MOST_AT_ONCE) {
      crypto.getRandomValues(drawn.subarray(at, at + MOST_AT_ONCE));
    }
  } catch {
    throw new RandomnessError("the platform gave no randomness");
  }
  return drawn;
}

/** A uniform integer in [0, bound), by rejection from whole bytes. */
export function randbelow(bound: bigint, random: Random): bigint {
  const size = Math.ceil(bitLength(bound) / 8);
  const span = 1n << BigInt(8 * size);
  const limit = span - (span % bound);
  let drawn: bigint;
  do {
    drawn = toInteger(bytesFrom(random, size));
  } while (drawn >= limit);
  return drawn % bound;
}

/** True with probability numerator / denominator, exactly. */
export function bernoulli(numerator: bigint, denominator: bigint, random: Random): boolean {
  return randbelow(denominator, random) < numerator;
}

/** Uniform integers in [0, bound), one after the other, read from the source in blocks. */
export function* drawBelow(bound: number, random: Random): Generator<number, never> {
  const size = (bitLength(BigInt(bound)) + 11) >> 3;
  const span = 2 ** (8 * size);
  const limit = span - (span % bound);
  for (;;) {
    const block = bytesFrom(random, BLOCK * size);
    for (let at = 0; at < block.length; at += size) {
      const drawn = Number(toInteger(block.subarray(at, at + size)));
      if (drawn < limit) yield drawn % bound;
    }
  }
}

/** The place of one of some weights, as likely as its weight is a part of their sum. */
export function weighted(weights: readonly bigint[], random: Random): number {
  let left = randbelow(weights.reduce((sum, weight) => sum + weight), random);
  let place = 0;
  while (left >= weights[place]!) {
    left -= weights[place]!;
    place += 1;
  }
  return place;
}

/** The same things in an order that is drawn uniformly from all of theirs (Fisher and Yates). */
export function shuffled<T>(things: Iterable<T>, random: Random): T[] {
  const order = [...things];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const chosen = Number(randbelow(BigInt(last + 1), random));
    [order[last], order[chosen]] = [order[chosen]!, order[last]!];
  }
  return order;
}

/**
 * A vector of `size` independent bits, as an integer whose bit i is position i: 1 with probability
 * `ifChosen / 2^word` where bit i of `chosen` is set, else `ifOther / 2^word`.
 *
 * All positions compare their own uniform word with their threshold at once, one bit-plane at a time from the top. The
 * few that are then still tied read a reserve. Stopping as soon as all are decided would be quicker and wrong: when a
 * bit decides depends on its threshold, hence on the value.
 */
export function drawBits(
  chosen: bigint, size: number, ifChosen: bigint, ifOther: bigint, random: Random, word: number,
): bigint {
  const width = Math.ceil(size / 8);
  const planes = Math.min(word, bitLength(BigInt(size)) + 3);
  const rest = word - planes;
  const spare = Math.ceil(rest / 8);
  const everywhere = (1n << BigInt(size)) - 1n;
  const vector = bytesFrom(random, planes * width + RESERVE * spare);
  let ones = 0n;
  let tied = everywhere;
  for (let plane = 0; plane < planes; plane += 1) {
    const shift = BigInt(word - 1 - plane);
    const threshold = ((ifChosen >> shift) & 1n ? chosen : 0n) | ((ifOther >> shift) & 1n ? everywhere & ~chosen : 0n);
    const decided = tied & (toInteger(vector.subarray(plane * width, (plane + 1) * width)) ^ threshold);
    ones |= decided & threshold;
    tied ^= decided;
  }
  const lowBits = (1n << BigInt(rest)) - 1n;
  let reserve = vector.subarray(planes * width);
  while (tied && rest) {
    if (!reserve.length) reserve = bytesFrom(random, RESERVE * spare);
    const position = tied & -tied;
    const threshold = (chosen & position ? ifChosen : ifOther) & lowBits;
    if ((toInteger(reserve.subarray(0, spare)) & lowBits) < threshold) ones |= position;
    tied ^= position;
    reserve = reserve.subarray(spare);
  }
  return ones;
}

/** Bytes from a source, which has to give as many as it is asked for. */
export function bytesFrom(random: Random, size: number): Bytes {
  const drawn = random(size);
  if (drawn.length !== size) throw new RandomnessError(`expected ${size} random bytes, got ${drawn.length}`);
  return drawn;
}
