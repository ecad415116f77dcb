/**
 * Trees (`ldp/mechanisms/numbers/tree.py`): a level of halves of halves, drawn whatever the answer is, and a response to the
 * cell that the answer has there. The level travels with the report as its cohort. Pyramids are trees of two axes.
 */

import { type Bytes, toBytes } from "./bytes.js";
import { SurveyError } from "./errors.js";
import { ProjectiveResponse } from "./projective.js";
import { type Random, randbelow, weighted } from "./randomness.js";
import { type Randomizer, type Value, inCohort, symbolWidth } from "./randomizer.js";
import type { Ratio } from "./ratio.js";

/** What makes the symbols of a level: of how many places, with how many symbols, neighbours how far apart. */
export interface Response {
  readonly oracle: NumberedSubsets | ProjectiveResponse;
  readonly places: number;
  readonly symbols: number;
  readonly step: number;
}

/** What values are in a level: which cell. */
type CellOf = (value: number) => number;

/** A response to one of `size` values in one level, whose right symbols have weight `truth` each, others `other`. */
export class TreeResponse implements Randomizer {
  readonly width: number;
  readonly #levels: readonly CellOf[];
  readonly #responses: readonly Response[];
  readonly #width: number;

  /** `levels` say which cell a value has in each. */
  constructor(
    readonly size: number, readonly law: readonly bigint[], spaces: readonly (readonly bigint[])[],
    readonly truth: bigint, readonly other: bigint, place = "tree", levels = halves(size),
  ) {
    const depth = levels.length;
    if (law.length !== depth || spaces.length !== depth) {
      throw new SurveyError(`${place}: expected a weight and a response for each of ${depth} levels`);
    }
    this.#levels = levels;
    // The last value is in the last cell of each.
    this.#responses = spaces.map((space, number) => responseTo(levels[number]!(size - 1) + 1, space, truth, other));
    this.#width = symbolWidth(Math.max(...this.#responses.map(({ symbols }) => symbols)));
    this.width = inCohort(new Uint8Array(this.#width), 0, depth).length;
  }

  /** That of two cells: the level tells nothing. */
  get ratio(): Ratio {
    return [this.truth, this.other];
  }

  randomize(value: Value, random: Random): Bytes {
    const number = weighted(this.law, random);
    const { oracle, places, step } = this.#responses[number]!;
    const cell = this.#levels[number]!(Number(value));
    const symbol = oracle.randomize((cell * step) % places, random);
    // All reports are as long as those of the level with the most symbols.
    const body = new Uint8Array(this.#width);
    body.set(symbol);
    return inCohort(body, number, this.law.length);
  }
}

/** The levels of a line: halves of halves. */
function halves(size: number): CellOf[] {
  const depth = (size - 1).toString(2).length;
  return Array.from({ length: depth }, (_, number) => (value) => value >> (depth - number - 1));
}

/** The views of a map (`ldp/mechanisms/places/pyramid.py`), whose axes are halved so many times, x first; all but the whole. */
export function grids(size: number, place = "pyramid"): CellOf[] {
  const depth = Math.log2(size) / 2;
  if (!Number.isInteger(depth) || depth < 1) throw new SurveyError(`${place}: expected a map of 2^h x 2^h cells`);
  const views = Array.from({ length: (depth + 1) ** 2 }, (_, number) => [Math.floor(number / (depth + 1)), number % (depth + 1)]);
  return views.slice(1).map(([across, up]) => (value) =>
    ((value >> (2 * depth - across!)) << up!) + ((value & ((1 << depth) - 1)) >> (depth - up!)));
}

/** Subset selection among few values, whose reports are numbers of sets (`ldp/mechanisms/values/numbered_subsets.py`). */
export class NumberedSubsets implements Randomizer {
  readonly width: number;
  readonly sets: number;

  constructor(readonly size: number, readonly chosen: number, readonly truth: bigint, readonly other: bigint) {
    this.sets = Number(choose(size, chosen));
    this.width = symbolWidth(this.sets);
  }

  get ratio(): Ratio {
    return [this.truth, this.other];
  }

  randomize(value: Value, random: Random): Bytes {
    const { size, chosen, truth, other } = this;
    const within = truth * choose(size - 1, chosen - 1);
    const drawn = randbelow(within + other * choose(size - 1, chosen), random);
    const isIn = drawn < within;
    const others = isIn ? members(drawn / truth, chosen - 1) : members((drawn - within) / other, chosen);
    // Numbered without the true value, so that those from it on are one more.
    const picked = others.map((place) => (place < Number(value) ? place : place + 1));
    if (isIn) picked.push(Number(value));
    return toBytes(numberOf(picked), this.width);
  }
}

/** What makes the symbols of so many cells, by the numbers of a space. */
export function responseTo(cells: number, [order, number, step]: readonly bigint[], truth: bigint, other: bigint): Response {
  if (!order) {
    const oracle = new NumberedSubsets(cells, Number(number), truth, other);
    return { oracle, places: cells, symbols: oracle.sets, step: Number(step) };
  }
  const oracle = new ProjectiveResponse(cells, order, number!, truth, other);
  return { oracle, places: Number(oracle.points), symbols: Number(oracle.points), step: Number(step) };
}

/** The number of a set: of its places in order, c_1 over 1, c_2 over 2, ... added up. */
export function numberOf(places: readonly number[]): bigint {
  const inOrder = [...places].sort((left, right) => left - right);
  return inOrder.reduce((sum, place, index) => sum + choose(place, index + 1), 0n);
}

/** The set of so many places that has a number, from its last one down. */
export function members(number: bigint, chosen: number): number[] {
  const places = [];
  let left = number;
  for (let order = chosen; order > 0; order -= 1) {
    let place = order === 1 ? Number(left) : order - 1;
    while (choose(place + 1, order) <= left) place += 1;
    left -= choose(place, order);
    places.push(place);
  }
  return places;
}

/** How many sets of so many things there are. */
export function choose(things: number, many: number): bigint {
  let sets = 1n;
  for (let one = 0; one < many; one += 1) sets = (sets * BigInt(things - one)) / BigInt(one + 1);
  return sets;
}
