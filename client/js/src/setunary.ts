/** Unary encoding of a set (`ldp/mechanisms/sets/set_unary.py`): one bit for each value, each bit randomized on its own. */

import { type Bytes, toBytes } from "./bytes.js";
import { type Random, drawBits } from "./randomness.js";
import { type Randomizer, type Taken, type Value, hasBit, vectorWidth } from "./randomizer.js";
import { type Ratio, power, product, within } from "./ratio.js";

/** Bits as in unary encoding, for sets of up to `most` of `size` values. */
export class SetEncoding implements Randomizer {
  readonly takes: Taken = "sets";
  readonly width: number;

  constructor(
    readonly size: number, readonly most: number, readonly ifTrue: bigint, readonly ifOther: bigint,
    readonly word: number,
  ) {
    this.width = vectorWidth(size);
  }

  /** That of two sets that differ in as many values as they may, in the worst way. */
  get ratio(): Ratio {
    const span = 1n << BigInt(this.word);
    const one: Ratio = [this.ifTrue, this.ifOther];
    const zero: Ratio = [span - this.ifOther, span - this.ifTrue];
    const [more, less] = within(zero, one) ? [one, zero] : [zero, one];
    return product([power(more, this.most), power(less, Math.min(this.most, this.size - this.most))]);
  }

  randomize(value: Value, random: Random): Bytes {
    const members = value as readonly number[];
    const chosen = members.reduce((bits, member) => bits | (1n << BigInt(member)), 0n);
    return toBytes(drawBits(chosen, this.size, this.ifTrue, this.ifOther, random, this.word), this.width);
  }

  supports(report: Bytes, value: number): boolean {
    return hasBit(report, value);
  }
}
