/** A row of the table of mechanisms: a name, and what makes a randomizer of a question's integers. */

import type { Integers } from "./compiled.js";
import { SurveyError } from "./errors.js";
import type { Randomizer } from "./randomizer.js";

export type Mechanism = readonly [name: string, of: (numbers: Numbers) => Randomizer];

/** The integers of one question, asked for by name. */
export interface Numbers {
  whole(name: string): bigint;
  size(name: string): number;
  /** How many bits thresholds have. */
  readonly word: number;
  matrix(name: string): readonly (readonly bigint[])[];
  /** A matrix of one row. */
  row(name: string): readonly bigint[];
  /** What messages call the question. */
  readonly place: string;
}

/** The randomizer of a mechanism; undefined if there is none of that name among some. */
export function randomizerOf(
  mechanisms: readonly Mechanism[], mechanism: string, integers: Integers, place: string,
): Randomizer | undefined {
  return mechanisms.find(([name]) => name === mechanism)?.[1](numbersOf(integers, place));
}

function numbersOf(integers: Integers, place: string): Numbers {
  const whole = (name: string): bigint => {
    const number = integers.get(name);
    if (typeof number !== "string") throw new SurveyError(`${place}: expected an integer called ${name}`);
    return BigInt(number);
  };
  const matrix = (name: string): bigint[][] => {
    const rows = integers.get(name);
    const even = Array.isArray(rows) && rows.length > 0 && rows.every((row) => row.length === rows[0].length);
    if (!even) throw new SurveyError(`${place}: expected a matrix called ${name}`);
    return rows.map((row) => row.map(BigInt));
  };
  const size = (name: string): number => {
    const number = whole(name);
    if (number > 1n << 32n) throw new SurveyError(`${place}: expected ${name} to be at most 2^32`);
    return Number(number);
  };
  return {
    place,
    whole,
    matrix,
    size,
    row: (name) => matrix(name)[0]!,
    get word() {
      return size("word");
    },
  };
}
