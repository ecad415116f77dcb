/**
 * dBitFlipPM (`ldp/mechanisms/chains/bit_flip.py`): permanent bits for some of the values, a window that a device draws once.
 * Nothing of its reports is fresh.
 */

import { type Bytes, toBytes } from "./bytes.js";
import { type Random, drawBits, randbelow } from "./randomness.js";
import { type Cohort, type Memoized, type Value, firstReport, inCohort, vectorWidth } from "./randomizer.js";
import { type Ratio, power } from "./ratio.js";

/** `sampled` bits for `size` values, each flipped with probability `flip / 2^word`. */
export class BitFlip implements Memoized {
  readonly memoizes = true;
  readonly width: number;

  constructor(readonly size: number, readonly sampled: number, readonly flip: bigint, readonly word: number) {
    this.width = vectorWidth(sampled, size);
  }

  /** Two values of a window differ in two bits, unless it has but one. */
  get ratio(): Ratio {
    return power([(1n << BigInt(this.word)) - this.flip, this.flip], Math.min(this.sampled, 2));
  }

  get lifetimeRatio(): Ratio {
    return this.ratio;
  }

  /** The first value of the window. */
  drawCohort(random: Random): Cohort {
    return Number(randbelow(BigInt(this.size), random));
  }

  /** The place of a value in the window, or the one behind it. */
  memoValue(value: Value, cohort: Cohort): number {
    return Math.min((Number(value) - Number(cohort) + this.size) % this.size, this.sampled);
  }

  permanent(value: Value, cohort: Cohort, random: Random): Bytes {
    const { sampled, flip, word } = this;
    const own = (1n << BigInt(this.memoValue(value, cohort))) & ((1n << BigInt(sampled)) - 1n);
    return toBytes(drawBits(own, sampled, (1n << BigInt(word)) - flip, flip, random, word), vectorWidth(sampled));
  }

  /** The permanent bits, as they are. */
  instantaneous(permanent: Bytes, cohort: Cohort): Bytes {
    return inCohort(permanent, cohort, this.size);
  }

  randomize(value: Value, random: Random): Bytes {
    return firstReport(this, value, random);
  }
}
