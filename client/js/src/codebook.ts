/**
 * Codebook response (`ldp/mechanisms/vectors/codebook.py`): a vector as a seed and one of the random words that it gives, a near
 * one more likely than another.
 */

import { UNIT, root, unpacked } from "./ball.js";
import { type Bytes, concat, toBytes, toInteger } from "./bytes.js";
import { products } from "./codewords.js";
import { type Random, bytesFrom, randbelow } from "./randomness.js";
import { type Randomizer, type Taken, type Value, symbolWidth } from "./randomizer.js";
import type { Ratio } from "./ratio.js";

const SEED_WIDTH = 8;

/** One of `words` for a vector of `size` numbers: those `near` to it have the weight `truth` each, the others `other`. */
export class CodebookResponse implements Randomizer {
  readonly takes: Taken = "vectors";
  readonly width: number;

  constructor(
    readonly size: number, readonly words: number, readonly near: number, readonly truth: bigint, readonly other: bigint,
    readonly word: number,
  ) {
    this.width = SEED_WIDTH + symbolWidth(words);
  }

  /** That of a word that is near, and one that is not: the seed tells nothing. */
  get ratio(): Ratio {
    return [this.truth, this.other];
  }

  randomize(value: Value, random: Random): Bytes {
    const { words, near, truth, other } = this;
    const seed = this.#drawn(random);
    const sign = this.#drawn(random);
    const within = BigInt(near) * truth;
    const drawn = randbelow(within + BigInt(words - near) * other, random);
    const vector = unpacked(value as Bytes);
    const direction = sign < this.#keeping(vector) ? vector : vector.map((coordinate) => -coordinate);
    const close = this.#nearest(products(seed, direction, words / 2));
    const symbol = drawn < within
      ? close[Number(drawn / truth)]!
      : others(close, words)[Number((drawn - within) / other)]!;
    return concat([toBytes(seed, SEED_WIDTH), toBytes(BigInt(symbol), symbolWidth(words))]);
  }

  /** The near words, the nearest first: of each vector itself or its opposite, of equal ones the first. */
  #nearest(sums: readonly number[]): number[] {
    const order = sums.map((_, number) => number);
    order.sort((one, two) => Math.abs(sums[two]!) - Math.abs(sums[one]!) || one - two);
    return order.slice(0, this.near).map((number) => 2 * number + Number(sums[number]! < 0));
  }

  /** 2^word times the probability that a vector keeps its sign, (1 + length) / 2. */
  #keeping(vector: Float64Array): bigint {
    const square = [...vector].reduce((sum, coordinate) => sum + BigInt(coordinate) ** 2n, 0n);
    const half = 1n << BigInt(this.word - 1);
    const share = root(square * half * half) / UNIT;
    return half + (share < half ? share : half);
  }

  #drawn(random: Random): bigint {
    const drawn = toInteger(bytesFrom(random, Math.ceil(this.word / 8)));
    return drawn & ((1n << BigInt(this.word)) - 1n);
  }
}

/** All words but some, in their order. */
function others(some: readonly number[], words: number): number[] {
  const taken = new Set(some);
  return Array.from({ length: words }, (_, word) => word).filter((word) => !taken.has(word));
}
