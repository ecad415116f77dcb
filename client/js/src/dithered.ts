/**
 * Dithered k-ary response (`ldp/mechanisms/numbers/dithered.py`): a number as one of a few levels, rounded with the help of a
 * public random offset, the dither, which travels with the report as its cohort.
 */

import type { Bytes } from "./bytes.js";
import { RandomizedResponse } from "./grr.js";
import { type Random, randbelow } from "./randomness.js";
import { type Randomizer, type Value, inCohort } from "./randomizer.js";
import type { Ratio } from "./ratio.js";

/** One of `size` whole numbers, on a grid of `grid` steps, as one of `levels`: that of `truth`, others of `other`. */
export class DitheredResponse implements Randomizer {
  readonly width: number;
  readonly #response: RandomizedResponse;

  constructor(
    readonly size: number, readonly grid: number, readonly levels: number, truth: bigint, other: bigint,
  ) {
    this.#response = new RandomizedResponse(levels, truth, other);
    this.width = inCohort(new Uint8Array(this.#response.width), 0, grid).length;
  }

  /** That of two levels: the dither tells nothing. */
  get ratio(): Ratio {
    return this.#response.ratio;
  }

  randomize(value: Value, random: Random): Bytes {
    const [last, grid, steps] = [BigInt(this.size - 1), BigInt(this.grid), BigInt(this.levels - 1)];
    // Nothing is drawn where the grid has all values, whichever was answered.
    const spare = grid < last ? randbelow(last, random) : 0n;
    const place = (BigInt(Number(value)) * grid + spare) / last;
    const dither = grid > 1n ? randbelow(grid, random) : 0n;
    const level = (steps * place + dither) / grid;
    return inCohort(this.#response.randomize(Number(level), random), Number(dither), this.grid);
  }
}
