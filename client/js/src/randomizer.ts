/** What every mechanism provides (`ldp/mechanisms/contract.py`), and the shapes of reports (`ldp/layout.py`). */

import { type Bytes, concat, toBytes } from "./bytes.js";
import type { Random } from "./randomness.js";
import type { Ratio } from "./ratio.js";

/** An answer inside the framework: the number of a listed value, those of a set, or the UTF-8 bytes of a text. */
export type Value = number | readonly number[] | Bytes;

/** The exact parameters of one question's mechanism, and the draws that they define. */
export interface Randomizer {
  /** Bytes of a report, whatever the answer. */
  readonly width: number;
  /** The exact largest ratio P[report | x] / P[report | x'] of one report. */
  readonly ratio: Ratio;
  /** One report of `value`. */
  randomize(value: Value, random: Random): Bytes;
}

/** A randomizer with a permanent response, which a device draws once per value and keeps. */
export interface Memoized extends Randomizer {
  /** The same ratio for everything that is ever sent about one value. */
  readonly lifetimeRatio: Ratio;
  drawCohort(random: Random): number;
  permanent(value: Value, cohort: number, random: Random): Bytes;
  /** One report of a permanent response. */
  instantaneous(permanent: Bytes, cohort: number, random: Random): Bytes;
}

/** Bytes of a symbol in [0, symbols). */
export function symbolWidth(symbols: number): number {
  return symbols <= 1 << 8 ? 1 : symbols <= 1 << 16 ? 2 : 4;
}

const COHORT_WIDTH = 2;

/** Bytes of a vector of bits, with its cohort if there are several. */
export function vectorWidth(bits: number, cohorts = 1): number {
  return (cohorts > 1 ? COHORT_WIDTH : 0) + Math.ceil(bits / 8);
}

/** A report in a cohort; nothing says so where there is only one. */
export function inCohort(body: Bytes, cohort: number, cohorts: number): Bytes {
  return cohorts > 1 ? concat([toBytes(BigInt(cohort), COHORT_WIDTH), body]) : body;
}
