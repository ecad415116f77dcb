/**
 * Noise added to a whole number (`ldp/mechanisms/numbers/additive.py`), discrete Laplace or, cut to the domain, geometric: as far
 * or farther from the value is `far` to `near` as likely for each step.
 */

import { type Bytes, toBytes } from "./bytes.js";
import { type Random, randbelow } from "./randomness.js";
import { type Randomizer, type Value, symbolWidth } from "./randomizer.js";
import { type Ratio, within } from "./ratio.js";

/** A value among `size` whole numbers, plus noise; reports go as far as `margin` beyond both ends. */
export class AdditiveNoise implements Randomizer {
  readonly width: number;
  #tails: readonly bigint[] | undefined;

  constructor(
    readonly size: number, readonly margin: number, readonly near: bigint, readonly far: bigint, readonly least: bigint,
  ) {
    this.width = symbolWidth(size + 2 * margin);
  }

  /** Over all reports: at an end, beyond the domain, and within. */
  get ratio(): Ratio {
    const { margin } = this;
    const across = this.size - 1;
    const falling = [...this.#rising].reverse();
    const weights = falling.slice(0, -1).map((tail, distance) => tail - falling[distance + 1]!);
    // Without a margin the lowest value's report is an end, and it is the next one's that tells most within.
    const [near, far] = margin ? [weights.slice(0, margin), weights.slice(across)] : [weights.slice(0, 1), weights.slice(across - 1)];
    const end: Ratio = [falling[margin]!, falling[margin + across]!];
    const columns = near.slice(0, far.length).map((high, column): Ratio => [high, far[column]!]);
    return columns.reduce((worst, column) => (within(column, worst) ? worst : column), end);
  }

  /** The value plus noise, whose law knows nothing of the value; then cut. */
  randomize(value: Value, random: Random): Bytes {
    const rising = this.#rising;
    const reach = rising.length - 1;
    const upward = rising[reach]!;
    const weight = randbelow(upward + rising[reach - 1]!, random);
    // Upwards from 0, or downwards from -1.
    const noise = weight < upward ? reach - passed(rising, weight) : passed(rising, weight - upward) - reach;
    const report = Math.min(Math.max(Number(value) + this.margin + noise, 0), this.size + 2 * this.margin - 1);
    return toBytes(BigInt(report), this.width);
  }

  /** The weights of noise of at least k, for k from the reach down to 0. */
  get #rising(): readonly bigint[] {
    if (this.#tails) return this.#tails;
    const { near, far, least } = this;
    const tails = [least];
    let weight = (least * (near - far)) / far;
    let tail = least;
    for (let step = this.size - 1 + this.margin; step > 0; step -= 1) {
      tail += weight;
      tails.push(tail);
      weight = (weight * near) / far;
    }
    return (this.#tails = tails);
  }
}

/** How many of some rising numbers are at most another. */
export function passed(rising: readonly bigint[], number: bigint): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rising[middle]! <= number) low = middle + 1;
    else high = middle;
  }
  return low;
}
