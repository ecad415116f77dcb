/**
 * Stripes (`ldp/mechanisms/places/stripes.py`): a cell of a map as an arc of a circle, around which a device winds the map, as often
 * along either axis as the frequency says that it draws, and that travels with the report as its cohort.
 */

import { arcAround } from "./arcs.js";
import { type Bytes, toBytes } from "./bytes.js";
import { type Random, weighted } from "./randomness.js";
import { type Randomizer, type Value, inCohort, symbolWidth } from "./randomizer.js";
import type { Ratio } from "./ratio.js";

/** One of `size` cells of a square map, on a circle of `modulus` places, as an `arc` of so many: with its place, or without. */
export class Stripes implements Randomizer {
  readonly width: number;
  readonly #side: number;
  readonly #law: readonly bigint[];

  /** `law` has the weights of frequencies by how far they are from 0. */
  constructor(
    readonly size: number, readonly modulus: number, readonly arc: number, readonly truth: bigint, readonly other: bigint,
    law: readonly bigint[],
  ) {
    this.#side = Math.round(Math.sqrt(size));
    this.#law = unfolded(modulus, law);
    this.width = inCohort(new Uint8Array(symbolWidth(modulus)), 0, this.#law.length).length;
  }

  /** That of an arc with the true place, and one without: the frequency tells nothing. */
  get ratio(): Ratio {
    return [this.truth, this.other];
  }

  randomize(value: Value, random: Random): Bytes {
    const cohort = weighted(this.#law, random);
    const [across, up] = frequencyOf(cohort, this.modulus);
    const [x, y] = [Math.floor(Number(value) / this.#side), Number(value) % this.#side];
    const start = arcAround(this, across * x + up * y, random);
    return inCohort(toBytes(BigInt(start), symbolWidth(this.modulus)), cohort, this.#law.length);
  }
}

/** How often places go around the circle from cell to cell, along x and along y. */
function frequencyOf(cohort: number, modulus: number): [number, number] {
  const number = cohort + (modulus + 1) / 2;
  return [Math.floor(number / modulus), number % modulus];
}

/** The weight of every frequency, in the order of cohorts, from those of 0 <= a <= b <= (P-1)/2 but (0, 0). */
function unfolded(modulus: number, law: readonly bigint[]): readonly bigint[] {
  const half = (modulus - 1) / 2;
  return Array.from({ length: (modulus * modulus - 1) / 2 }, (_, cohort) => {
    const away = frequencyOf(cohort, modulus).map((k) => Math.min(k, modulus - k));
    const [least, most] = [Math.min(...away), Math.max(...away)];
    // Before the pairs of `least` there are those of all lesser numbers, and no (0, 0).
    return law[(least * (2 * half + 3 - least)) / 2 + (most - least) - 1]!;
  });
}
