/**
 * Local hashing (`ldp/mechanisms/values/local_hashing.py`): k-ary response on a hash of the value. Each respondent has a hash
 * function of its own, whose seed travels with the report.
 */

import { type Bytes, concat, toBytes, toInteger } from "./bytes.js";
import { RandomizedResponse } from "./grr.js";
import { type Random, randbelow } from "./randomness.js";
import type { Randomizer, Value } from "./randomizer.js";
import type { Ratio } from "./ratio.js";

const SEED_WIDTH = 8;
const HALF = 32n;
const MULTIPLIER = (1n << HALF) - 1n;

/** The bucket of a value with weight `truth`, each other one of `buckets` with `other`. */
export class LocalHashing implements Randomizer {
  readonly width: number;
  readonly response: RandomizedResponse;

  constructor(
    readonly size: number, readonly buckets: number, truth: bigint, other: bigint, readonly modulus: bigint,
  ) {
    this.response = new RandomizedResponse(buckets, truth, other);
    this.width = SEED_WIDTH + this.response.width;
  }

  get ratio(): Ratio {
    return this.response.ratio;
  }

  /** Where the hash function of a seed, 2^32 b + a, takes a value: floor(((a x + b) mod P) g / P). */
  bucketOf(value: Value, seed: bigint): number {
    const residue = ((seed & MULTIPLIER) * BigInt(Number(value)) + (seed >> HALF)) % this.modulus;
    return Number((residue * BigInt(this.buckets)) / this.modulus);
  }

  drawSeed(random: Random): bigint {
    const multiplier = 1n + randbelow(this.modulus - 1n, random);
    return (randbelow(this.modulus, random) << HALF) | multiplier;
  }

  randomize(value: Value, random: Random): Bytes {
    const seed = this.drawSeed(random);
    return withSeed(this.response.randomize(this.bucketOf(value, seed), random), seed);
  }

  supports(report: Bytes, value: number): boolean {
    const bucket = this.bucketOf(value, toInteger(report.subarray(0, SEED_WIDTH)));
    return this.response.supports(report.subarray(SEED_WIDTH), bucket);
  }
}

export function withSeed(symbol: Bytes, seed: bigint): Bytes {
  return concat([toBytes(seed, SEED_WIDTH), symbol]);
}
