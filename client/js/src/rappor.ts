/**
 * RAPPOR (`ldp/mechanisms/chains/rappor.py`): a permanent randomized response, kept on the device, and an instantaneous one
 * for each report. `hashes` = 0 is the one-hot form; the others set bits of a Bloom filter.
 */

import { bloomVector } from "./bloom.js";
import { type Bytes, toBytes, toInteger } from "./bytes.js";
import { type Random, drawBits, randbelow } from "./randomness.js";
import { type Cohort, type Memoized, type Taken, type Value, firstReport, inCohort, vectorWidth } from "./randomizer.js";
import { type Ratio, power } from "./ratio.js";

/** The integers of the survey; `flip`, `ifOne` and `ifZero` are f/2, q and p as thresholds over 2^word. */
export interface RapporIntegers {
  readonly bits: number;
  readonly hashes: number;
  readonly cohorts: number;
  readonly flip: bigint;
  readonly ifOne: bigint;
  readonly ifZero: bigint;
  readonly word: number;
}

export class Rappor implements Memoized {
  readonly width: number;
  readonly size: number;

  constructor(readonly integers: RapporIntegers) {
    this.size = integers.bits;
    this.width = vectorWidth(integers.bits, integers.cohorts);
  }

  /** Without a permanent response (f = 0) there is nothing to keep but the truth, which is never kept. */
  get memoizes(): boolean {
    return this.integers.flip > 0n;
  }

  get takes(): Taken {
    return this.integers.hashes > 0 ? "texts" : "values";
  }

  get ratio(): Ratio {
    const { flip, ifOne, ifZero, word, hashes } = this.integers;
    const span = 1n << BigInt(word);
    const one = (span - flip) * ifOne + flip * ifZero;
    const zero = flip * ifOne + (span - flip) * ifZero;
    const [high, low] = one > zero ? [one, zero] : [zero, one];
    return power([high * (span * span - low), low * (span * span - high)], Math.max(hashes, 1));
  }

  get lifetimeRatio(): Ratio {
    const { flip, word, hashes } = this.integers;
    return power([(1n << BigInt(word)) - flip, flip], 2 * Math.max(hashes, 1));
  }

  /** The vector before any noise: the Bloom filter of a text, or the one bit of a value's number. */
  trueBits(value: Value, cohort: Cohort): bigint {
    const { hashes, bits } = this.integers;
    return value instanceof Uint8Array ? bloomVector(value, Number(cohort), hashes, bits) : 1n << BigInt(Number(value));
  }

  drawCohort(random: Random): number {
    const { cohorts } = this.integers;
    return cohorts > 1 ? Number(randbelow(BigInt(cohorts), random)) : 0;
  }

  memoValue(value: Value): Value {
    return value;
  }

  permanent(value: Value, cohort: Cohort, random: Random): Bytes {
    const { bits, flip, word } = this.integers;
    const trueBits = this.trueBits(value, cohort);
    const kept = flip ? drawBits(trueBits, bits, (1n << BigInt(word)) - flip, flip, random, word) : trueBits;
    return toBytes(kept, vectorWidth(bits));
  }

  instantaneous(permanent: Bytes, cohort: Cohort, random: Random): Bytes {
    const { bits, ifOne, ifZero, word, cohorts } = this.integers;
    const sent = drawBits(toInteger(permanent), bits, ifOne, ifZero, random, word);
    return inCohort(toBytes(sent, vectorWidth(bits)), cohort, cohorts);
  }

  randomize(value: Value, random: Random): Bytes {
    return firstReport(this, value, random);
  }
}
