/** What every mechanism provides (`ldp/mechanisms/contract.py`), and the shapes of reports (`ldp/numbers/layout.py`). */

import { type Bytes, concat, toBytes } from "./bytes.js";
import type { Random } from "./randomness.js";
import type { Ratio } from "./ratio.js";

/** An answer inside the framework: the number of a listed value, those of a set, or the UTF-8 bytes of a text. */
export type Value = number | readonly number[] | Bytes;

/**
 * What a randomizer takes for an answer: the number of a value, the bytes of a text, the numbers of a set's values in
 * ascending order, that of each field's value, or the bytes of a vector.
 */
export type Taken = "values" | "texts" | "sets" | "fields" | "vectors";

/** The exact parameters of one question's mechanism, and the draws that they define. */
export interface Randomizer {
  /** `values` where it is left out. */
  readonly takes?: Taken;
  /** How many values there are, or numbers in a vector. Nothing where texts are taken. */
  readonly size: number;
  /** How many values a set may hold. */
  readonly most?: number;
  /** How many values each field has. */
  readonly sizes?: readonly number[];
  /** Whether a device keeps permanent responses: then it is `Memoized`. */
  readonly memoizes?: boolean;
  /** Bytes of a report, whatever the answer. */
  readonly width: number;
  /** The exact largest ratio P[report | x] / P[report | x'] of one report. */
  readonly ratio: Ratio;
  /** One report of `value`. */
  randomize(value: Value, random: Random): Bytes;
  /** Whether a report votes for a value, given by its number; left out where reports vote for no values. */
  supports?(report: Bytes, value: number): boolean;
}

/** What a device draws once and keeps, whatever it answers: a cohort, or a hash function's seed as a decimal text. */
export type Cohort = number | string;

/** A randomizer with a permanent response, which a device draws once per value and keeps. */
export interface Memoized extends Randomizer {
  readonly memoizes: boolean;
  /** The same ratio for everything that is ever sent about one value. */
  readonly lifetimeRatio: Ratio;
  drawCohort(random: Random): Cohort;
  /** What a permanent response is kept for. Values for which it is the same share one. */
  memoValue(value: Value, cohort: Cohort): Value;
  permanent(value: Value, cohort: Cohort, random: Random): Bytes;
  /** One report of a permanent response. */
  instantaneous(permanent: Bytes, cohort: Cohort, random: Random): Bytes;
}

export function isMemoized(randomizer: Randomizer): randomizer is Memoized {
  return randomizer.memoizes === true;
}

/** Cohort, permanent and instantaneous response in one go: the law of a device's first report. */
export function firstReport(memoized: Memoized, value: Value, random: Random): Bytes {
  const cohort = memoized.drawCohort(random);
  return memoized.instantaneous(memoized.permanent(value, cohort, random), cohort, random);
}

/** Bytes of a symbol in [0, symbols). */
export function symbolWidth(symbols: number): number {
  return symbols <= 1 << 8 ? 1 : symbols <= 1 << 16 ? 2 : 4;
}

/** Whether the bit of a place is set. */
export function hasBit(bits: Bytes, place: number): boolean {
  return ((bits[place >> 3]! >> (place & 7)) & 1) === 1;
}

const COHORT_WIDTH = 2;

/** Bytes of a vector of bits, with its cohort if there are several. */
export function vectorWidth(bits: number, cohorts = 1): number {
  return (cohorts > 1 ? COHORT_WIDTH : 0) + Math.ceil(bits / 8);
}

/** A report in a cohort; nothing says so where there is only one. */
export function inCohort(body: Bytes, cohort: Cohort, cohorts: number): Bytes {
  return cohorts > 1 ? concat([toBytes(BigInt(cohort), COHORT_WIDTH), body]) : body;
}
