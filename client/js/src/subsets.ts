/**
 * Some of many fields (`ldp/mechanisms/sets/subsets.py`): a subset of the fields of a table, drawn whatever the answer is, and
 * a response to the cell of their values. The number of the subset travels with the report as its cohort.
 */

import { type Bytes } from "./bytes.js";
import { SurveyError } from "./errors.js";
import { type Random, randbelow } from "./randomness.js";
import { type Randomizer, type Taken, type Value, inCohort, symbolWidth } from "./randomizer.js";
import type { Ratio } from "./ratio.js";
import { type Response, choose, members, responseTo } from "./tree.js";

const MOST_SUBSETS = 2n ** 14n;

/** A response to `together` of the fields, whose right symbols have weight `truth` each, others `other`. */
export class SubsetsResponse implements Randomizer {
  readonly takes: Taken = "fields";
  readonly width: number;
  readonly #subsets: bigint;
  readonly #responses: ReadonlyMap<number, Response>;
  readonly #width: number;

  /** `sizes` says how many values each field has; a row of `spaces` a number of cells, and how they are told. */
  constructor(
    readonly sizes: readonly number[], readonly together: number, spaces: readonly (readonly bigint[])[],
    readonly truth: bigint, readonly other: bigint, place = "subsets",
  ) {
    this.#subsets = choose(sizes.length, together);
    if (this.#subsets < 1n || this.#subsets > MOST_SUBSETS) {
      throw new SurveyError(`${place}: expected 1 to ${MOST_SUBSETS} subsets of the fields`);
    }
    this.#responses = new Map(spaces.map(([cells, ...space]) => [Number(cells), responseTo(Number(cells), space, truth, other)]));
    for (let number = 0n; number < this.#subsets; number += 1n) {
      const cells = this.#fieldsOf(number).reduce((product, field) => product * sizes[field]!, 1);
      if (!this.#responses.has(cells)) throw new SurveyError(`${place}: expected a response for ${cells} cells`);
    }
    this.#width = symbolWidth(Math.max(...[...this.#responses.values()].map(({ symbols }) => symbols)));
    this.width = inCohort(new Uint8Array(this.#width), 0, Number(this.#subsets)).length;
  }

  /** How many cells the table of all fields has, roughly where they are very many. */
  get size(): number {
    return this.sizes.reduce((product, size) => product * size, 1);
  }

  /** That of two cells: the subset tells nothing. */
  get ratio(): Ratio {
    return [this.truth, this.other];
  }

  /** `value` has the value of each field. */
  randomize(value: Value, random: Random): Bytes {
    const values = value as readonly number[];
    const number = randbelow(this.#subsets, random);
    let [cell, cells] = [0, 1];
    for (const field of this.#fieldsOf(number)) {
      cell = cell * this.sizes[field]! + values[field]!;
      cells *= this.sizes[field]!;
    }
    const { oracle, places, step } = this.#responses.get(cells)!;
    const symbol = oracle.randomize((cell * step) % places, random);
    // All reports are as long as those of the subset with the most symbols.
    const body = new Uint8Array(this.#width);
    body.set(symbol);
    return inCohort(body, Number(number), Number(this.#subsets));
  }

  /** The fields of a subset, in their order. */
  #fieldsOf(number: bigint): number[] {
    return members(number, this.together).reverse();
  }
}
