/** Unary encoding (`ldp/mechanisms/values/unary.py`): one bit for each value, each bit randomized on its own. */

import { type Bytes, toBytes } from "./bytes.js";
import { type Random, drawBits } from "./randomness.js";
import { type Randomizer, type Value, hasBit, vectorWidth } from "./randomizer.js";
import type { Ratio } from "./ratio.js";

/** `size` bits, each 1 with probability `ifTrue / 2^word` at the true value and `ifOther / 2^word` elsewhere. */
export class UnaryEncoding implements Randomizer {
  readonly width: number;

  constructor(readonly size: number, readonly ifTrue: bigint, readonly ifOther: bigint, readonly word: number) {
    this.width = vectorWidth(size);
  }

  get ratio(): Ratio {
    const span = 1n << BigInt(this.word);
    return [this.ifTrue * (span - this.ifOther), (span - this.ifTrue) * this.ifOther];
  }

  randomize(value: Value, random: Random): Bytes {
    const chosen = 1n << BigInt(Number(value));
    return toBytes(drawBits(chosen, this.size, this.ifTrue, this.ifOther, random, this.word), this.width);
  }

  supports(report: Bytes, value: number): boolean {
    return hasBit(report, value);
  }
}
