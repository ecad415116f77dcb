/** k-ary randomized response (`ldp/mechanisms/values/grr.py`): the true value with odds R : 1 against each other value. */

import { type Bytes, toBytes, toInteger } from "./bytes.js";
import { type Random, randbelow } from "./randomness.js";
import { type Randomizer, type Value, symbolWidth } from "./randomizer.js";
import type { Ratio } from "./ratio.js";

/** The true value with weight `truth`, each of the other `size - 1` with weight `other`. */
export class RandomizedResponse implements Randomizer {
  readonly width: number;

  constructor(readonly size: number, readonly truth: bigint, readonly other: bigint) {
    this.width = symbolWidth(size);
  }

  get ratio(): Ratio {
    return [this.truth, this.other];
  }

  randomize(value: Value, random: Random): Bytes {
    const index = BigInt(Number(value));
    const drawn = randbelow(this.truth + BigInt(this.size - 1) * this.other, random) - this.truth;
    const another = drawn / this.other;
    const symbol = drawn < 0n ? index : another < index ? another : another + 1n;
    return toBytes(symbol, this.width);
  }

  supports(report: Bytes, value: number): boolean {
    return Number(toInteger(report)) === value;
  }
}
