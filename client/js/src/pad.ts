/**
 * Pad and sample (`ldp/mechanisms/sets/pad_and_sample.py`): a set is padded to `most` entries with dummies, and one that is
 * drawn is reported through another mechanism, whose values are the set's and then the dummies.
 */

import type { Bytes } from "./bytes.js";
import { type Random, randbelow } from "./randomness.js";
import type { Randomizer, Taken, Value } from "./randomizer.js";
import type { Ratio } from "./ratio.js";

export class PaddedResponse implements Randomizer {
  readonly takes: Taken = "sets";
  readonly width: number;

  /** Of `size` values, of which a set holds up to `most`. */
  constructor(readonly size: number, readonly most: number, readonly oracle: Randomizer) {
    this.width = oracle.width;
  }

  /** The oracle's, unless its reports name one entry each, as with as many dummies as entries. */
  get ratio(): Ratio {
    const { ratio, size } = this.oracle;
    if (size < this.size + this.most || this.most === 1) return ratio;
    const most = BigInt(this.most);
    return [ratio[0] + (most - 1n) * ratio[1], most * ratio[1]];
  }

  /** One report of a set, given by its values in ascending order. */
  randomize(value: Value, random: Random): Bytes {
    const entries = value as readonly number[];
    const place = Number(randbelow(BigInt(this.most), random));
    return this.oracle.randomize(entries[place] ?? this.size + (place % (this.oracle.size - this.size)), random);
  }

  supports(report: Bytes, value: number): boolean {
    return this.oracle.supports!(report, value);
  }
}
