/**
 * Square wave (`ldp/mechanisms/numbers/square_wave.py`): a number as a place on a line, likelier within a window that begins at
 * the number than anywhere else.
 */

import { type Bytes, toBytes } from "./bytes.js";
import { type Random, randbelow } from "./randomness.js";
import { type Randomizer, type Value, symbolWidth } from "./randomizer.js";
import type { Ratio } from "./ratio.js";

/** Of `size` numbers; each of the `window` places from the number on has weight `truth`, the others have `other`. */
export class SquareWave implements Randomizer {
  readonly width: number;

  constructor(readonly size: number, readonly window: number, readonly truth: bigint, readonly other: bigint) {
    this.width = symbolWidth(size + window - 1);
  }

  get ratio(): Ratio {
    return [this.truth, this.other];
  }

  randomize(value: Value, random: Random): Bytes {
    const start = BigInt(Number(value));
    const within = this.truth * BigInt(this.window);
    // Outside of the window there are as many places as other numbers.
    const drawn = randbelow(within + BigInt(this.size - 1) * this.other, random);
    const beyond = (drawn - within) / this.other;
    const outside = beyond < start ? beyond : beyond + BigInt(this.window);
    const place = drawn < within ? start + drawn / this.truth : outside;
    return toBytes(place, this.width);
  }
}
