/**
 * Pad and sample (`ldp/mechanisms/pad_and_sample.py`) through k-ary randomized response: a set is padded to `most` entries
 * with as many dummies, all of them different, and one that is drawn is reported.
 */

import type { Bytes } from "./bytes.js";
import { RandomizedResponse } from "./grr.js";
import { type Random, randbelow } from "./randomness.js";
import type { Randomizer, Value } from "./randomizer.js";
import type { Ratio } from "./ratio.js";

export class PaddedResponse implements Randomizer {
  readonly width: number;
  readonly #oracle: RandomizedResponse;

  /** Of `size` values, of which a set holds up to `most`. */
  constructor(readonly size: number, readonly most: number, truth: bigint, other: bigint) {
    this.#oracle = new RandomizedResponse(size + most, truth, other);
    this.width = this.#oracle.width;
  }

  get ratio(): Ratio {
    const [truth, other] = this.#oracle.ratio;
    const most = BigInt(this.most);
    return [truth + (most - 1n) * other, most * other];
  }

  /** One report of a set, given by its values in ascending order. */
  randomize(value: Value, random: Random): Bytes {
    const held = value as readonly number[];
    const place = Number(randbelow(BigInt(this.most), random));
    return this.#oracle.randomize(held[place] ?? this.size + place, random);
  }
}
