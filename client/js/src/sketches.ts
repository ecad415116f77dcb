/**
 * Count-mean sketches (`ldp/mechanisms/values/sketches.py`): a report on a short hash of the value, under one of the hash
 * functions that all respondents share, whose number travels with it as its cohort.
 */

import { type Bytes, toBytes } from "./bytes.js";
import { parity } from "./hadamard.js";
import { xxh64 } from "./hashing.js";
import { type Random, bernoulli, randbelow } from "./randomness.js";
import { type Randomizer, type Value, inCohort, symbolWidth } from "./randomizer.js";
import type { Ratio } from "./ratio.js";
import { UnaryEncoding } from "./unary.js";

const MODULUS = (1n << 31n) - 1n;
const COHORT_BITS = 16n;

/** The shared hash functions, into so many `buckets`. */
export interface Hashes {
  readonly cohorts: number;
  readonly buckets: number;
  readonly seed: bigint;
}

/** floor(((c2 x + c1) x + c0 mod P) m / P), with hashes of a place for c. */
function bucketOf(value: Value, cohort: number, { buckets, seed }: Hashes): number {
  const own = (seed << COHORT_BITS) | BigInt(cohort);
  const number = BigInt(Number(value));
  const residue = [2, 1, 0].reduce((sum, place) => sum * number + (xxh64(Uint8Array.of(place), own) % MODULUS), 0n);
  return Number(((residue % MODULUS) * BigInt(buckets)) / MODULUS);
}

function drawCohort({ cohorts }: Hashes, random: Random): number {
  return cohorts > 1 ? Number(randbelow(BigInt(cohorts), random)) : 0;
}

/** `cms`: the bucket's bits, with thresholds as in unary encoding. */
export class CountMean implements Randomizer {
  readonly width: number;
  readonly #encoding: UnaryEncoding;

  constructor(readonly size: number, readonly hashes: Hashes, ifTrue: bigint, ifOther: bigint, word: number) {
    this.#encoding = new UnaryEncoding(hashes.buckets, ifTrue, ifOther, word);
    this.width = inCohort(new Uint8Array(this.#encoding.width), 0, hashes.cohorts).length;
  }

  /** That of two buckets: two bits, one each way. */
  get ratio(): Ratio {
    return this.#encoding.ratio;
  }

  randomize(value: Value, random: Random): Bytes {
    const cohort = drawCohort(this.hashes, random);
    const bits = this.#encoding.randomize(bucketOf(value, cohort, this.hashes), random);
    return inCohort(bits, cohort, this.hashes.cohorts);
  }
}

/** `hcms`: a coordinate and its sign, which is right with odds of `truth` to `other`. */
export class HadamardCountMean implements Randomizer {
  readonly width: number;
  readonly #width: number;

  constructor(readonly size: number, readonly hashes: Hashes, readonly truth: bigint, readonly other: bigint) {
    this.#width = symbolWidth(2 * hashes.buckets);
    this.width = inCohort(new Uint8Array(this.#width), 0, hashes.cohorts).length;
  }

  get ratio(): Ratio {
    return [this.truth, this.other];
  }

  randomize(value: Value, random: Random): Bytes {
    const { hashes, truth, other } = this;
    const cohort = drawCohort(hashes, random);
    const own = bucketOf(value, cohort, hashes);
    const coordinate = Number(randbelow(BigInt(hashes.buckets), random));
    const lie = Number(!bernoulli(truth, truth + other, random));
    const symbol = 2 * coordinate + (parity(own & coordinate) ^ lie);
    return inCohort(toBytes(BigInt(symbol), this.#width), cohort, hashes.cohorts);
  }
}
