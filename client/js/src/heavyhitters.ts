/**
 * Heavy hitters (`ldp/mechanisms/texts/heavy_hitters.py`): a response to the cell of a text's hashed prefix, of a length that
 * the cohort says, which is drawn afresh for each report.
 */

import type { Bytes } from "./bytes.js";
import { xxh64 } from "./hashing.js";
import type { ProjectiveResponse } from "./projective.js";
import { type Random, randbelow } from "./randomness.js";
import { type Randomizer, type Taken, type Value, inCohort } from "./randomizer.js";
import type { Ratio } from "./ratio.js";

const COHORT_BITS = 16n;

/** `oracle` responds to cells; texts are found by prefixes of the `lengths`, and counted in the cohorts held out. */
export class HeavyHitters implements Randomizer {
  readonly takes: Taken = "texts";
  readonly size = 0;
  readonly width: number;
  readonly #cohorts: number;

  constructor(
    readonly oracle: ProjectiveResponse, readonly lengths: readonly number[], heldOut: number, readonly seed: bigint,
  ) {
    this.#cohorts = lengths.length + heldOut;
    this.width = inCohort(new Uint8Array(oracle.width), 0, this.#cohorts).length;
  }

  /** That of two cells: the cohort tells nothing. */
  get ratio(): Ratio {
    return this.oracle.ratio;
  }

  randomize(value: Value, random: Random): Bytes {
    const cohort = Number(randbelow(BigInt(this.#cohorts), random));
    const prefix = (value as Bytes).subarray(0, this.lengths[Math.min(cohort, this.lengths.length - 1)]);
    const hash = xxh64(prefix, (this.seed << COHORT_BITS) | BigInt(cohort));
    const cell = Number(hash % BigInt(this.oracle.size));
    return inCohort(this.oracle.randomize(cell, random), cohort, this.#cohorts);
  }
}
