/** Summed histogram encoding (`ldp/mechanisms/values/histogram.py`): a noisy number for each value. */

import { passed } from "./additive.js";
import { type Bytes, toInteger } from "./bytes.js";
import { type Random, bytesFrom, drawBits } from "./randomness.js";
import type { Randomizer, Value } from "./randomizer.js";
import type { Ratio } from "./ratio.js";
import { UnaryEncoding } from "./unary.js";

/** One of `levels` numbers for each of `size` values, on the wrong side of 1/2 with probability `flip / 2^word`. */
export class NoisyHistogram implements Randomizer {
  readonly width: number;
  readonly #rising: readonly bigint[];

  constructor(readonly size: number, readonly levels: number, readonly flip: bigint, readonly word: number) {
    this.width = size;
    const span = 1n << BigInt(word);
    // A distance from 1/2 is at least m with probability T_m / 2^word: the last T_m comes first.
    const thresholds: bigint[] = [];
    let last = (span * flip) / (span - flip);
    while (last && thresholds.length < levels / 2 - 1) {
      thresholds.push(last);
      last = (last * flip) / (span - flip);
    }
    this.#rising = thresholds.reverse();
  }

  /** That of the sides: the distances know nothing of the value. */
  get ratio(): Ratio {
    const { size, flip, word } = this;
    return new UnaryEncoding(size, (1n << BigInt(word)) - flip, flip, word).ratio;
  }

  /** The sides of all entries, then one word for each distance. */
  randomize(value: Value, random: Random): Bytes {
    const { size, flip, word } = this;
    const span = 1n << BigInt(word);
    const sides = drawBits(1n << BigInt(Number(value)), size, span - flip, flip, random, word);
    const half = this.levels / 2;
    const width = Math.ceil(word / 8);
    const tape = bytesFrom(random, size * width);
    return Uint8Array.from({ length: size }, (_, place) => {
      const drawn = toInteger(tape.subarray(place * width, (place + 1) * width)) & (span - 1n);
      const distance = this.#rising.length - passed(this.#rising, drawn);
      return (sides >> BigInt(place)) & 1n ? half + distance : half - 1 - distance;
    });
  }
}
