/**
 * Taxonomies (`ldp/mechanisms/texts/taxonomy.py`): a level of a tree, drawn whatever the answer is, and a response to the
 * cell that the answer has there. The level travels with the report as its cohort.
 */

import type { Bytes } from "./bytes.js";
import { SurveyError } from "./errors.js";
import { RandomizedResponse } from "./grr.js";
import { ProjectiveResponse } from "./projective.js";
import { type Random, randbelow } from "./randomness.js";
import { type Randomizer, type Value, inCohort, symbolWidth } from "./randomizer.js";
import type { Ratio } from "./ratio.js";

/** One level of the tree: the cell of every value, and how many cells there are. */
export interface Level {
  readonly cells: readonly number[];
  readonly size: number;
}

/** What makes the symbols of a level, and how many there are. */
interface Response {
  readonly oracle: RandomizedResponse | ProjectiveResponse;
  readonly symbols: number;
}

/**
 * The levels of a tree whose last `size` nodes are values, from the top (`ldp/answers/taxonomies.py`). A node is told by the
 * number of its parent plus 1, which stands before it; 0 is the whole. Values that sit higher are cells of their own.
 */
export function levelsOf(parents: readonly number[], size: number, place: string): Level[] {
  const firstValue = parents.length - size;
  const depths: number[] = [];
  parents.forEach((above, node) => {
    if (firstValue < 1 || above > Math.min(node, firstValue)) throw new SurveyError(`${place}: expected a tree`);
    depths.push(above ? depths[above - 1]! + 1 : 1);
  });
  const deepest = depths.reduce((most, depth) => Math.max(most, depth), 0);
  return Array.from({ length: deepest }, (_, index) => {
    const cellOf: number[] = [];
    let cells = 0;
    depths.forEach((depth, node) => {
      const isCell = depth === index + 1 || (depth <= index && node >= firstValue);
      cellOf.push(isCell ? cells++ : depth > index ? cellOf[parents[node]! - 1]! : -1);
    });
    return { cells: cellOf.slice(firstValue), size: cells };
  });
}

/** A response to one level, whose right symbols have weight `truth` each, others weight `other`. */
export class TaxonomyResponse implements Randomizer {
  readonly width: number;
  readonly levels: readonly Level[];
  readonly #responses: readonly Response[];
  readonly #width: number;

  constructor(
    readonly size: number, parents: readonly number[], readonly law: readonly bigint[],
    spaces: readonly (readonly bigint[])[], readonly truth: bigint, readonly other: bigint, place = "taxonomy",
  ) {
    this.levels = levelsOf(parents, size, place);
    if (law.length !== this.levels.length || spaces.length !== law.length) {
      throw new SurveyError(`${place}: expected a weight and a response for each of ${this.levels.length} levels`);
    }
    this.#responses = this.levels.map((level, number) => responseTo(level, spaces[number]!, truth, other));
    this.#width = symbolWidth(Math.max(...this.#responses.map(({ symbols }) => symbols)));
    this.width = inCohort(new Uint8Array(this.#width), 0, law.length).length;
  }

  /** That of two cells: the level tells nothing. */
  get ratio(): Ratio {
    return [this.truth, this.other];
  }

  randomize(value: Value, random: Random): Bytes {
    let drawn = randbelow(this.law.reduce((total, weight) => total + weight, 0n), random);
    let number = 0;
    for (; drawn >= this.law[number]!; number++) drawn -= this.law[number]!;
    const symbol = this.#responses[number]!.oracle.randomize(this.levels[number]!.cells[Number(value)]!, random);
    // All reports are as long as those of the level with the most symbols.
    const body = new Uint8Array(this.#width);
    body.set(symbol);
    return inCohort(body, number, this.law.length);
  }
}

function responseTo({ size }: Level, space: readonly bigint[], truth: bigint, other: bigint): Response {
  const [order, dimension] = space;
  if (!order || !dimension) return { oracle: new RandomizedResponse(size, truth, other), symbols: size };
  const oracle = new ProjectiveResponse(size, order, dimension, truth, other);
  return { oracle, symbols: Number(oracle.points) };
}
