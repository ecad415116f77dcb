/** The one-bit mean (`ldp/mechanisms/numbers/one_bit.py`): a 1 is the likelier, the higher a number is. */

import type { Bytes } from "./bytes.js";
import { type Random, randbelow } from "./randomness.js";
import type { Randomizer, Value } from "./randomizer.js";
import type { Ratio } from "./ratio.js";

/** The last of `size` values is a 1 with weight `truth` to `other`, the first the reverse. */
export class OneBitMean implements Randomizer {
  readonly width = 1;

  constructor(readonly size: number, readonly truth: bigint, readonly other: bigint) {}

  get ratio(): Ratio {
    return [this.truth, this.other];
  }

  /** The bit, from one integer in which every value has its own line. */
  randomize(value: Value, random: Random): Bytes {
    const { truth, other } = this;
    const last = BigInt(this.size - 1);
    const line = other * last + (truth - other) * BigInt(Number(value));
    return Uint8Array.of(Number(randbelow((truth + other) * last, random) < line));
  }
}
