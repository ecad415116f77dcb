/** The table of mechanisms: what makes a randomizer of a question's integers. */

import { Arcs } from "./arcs.js";
import { CodebookResponse } from "./codebook.js";
import type { Integers } from "./compiled.js";
import { DitheredResponse } from "./dithered.js";
import { SurveyError } from "./errors.js";
import { RandomizedResponse } from "./grr.js";
import { StochasticMatrix } from "./matrix.js";
import { PaddedResponse } from "./pad.js";
import { ProjectiveResponse } from "./projective.js";
import { Rappor } from "./rappor.js";
import { SubsetsResponse } from "./subsets.js";
import { TaxonomyResponse } from "./taxonomy.js";
import { TreeResponse, grids } from "./tree.js";
import { UnaryEncoding } from "./unary.js";
import { SquareWave } from "./wave.js";

export type AnyRandomizer =
  | RandomizedResponse | StochasticMatrix | UnaryEncoding | ProjectiveResponse | DitheredResponse | Arcs | SquareWave
  | TaxonomyResponse | TreeResponse | SubsetsResponse | CodebookResponse | Rappor | PaddedResponse;

/** The integers of one question, asked for by name. */
interface Numbers {
  whole(name: string): bigint;
  size(name: string): number;
  matrix(name: string): readonly (readonly bigint[])[];
  /** A matrix of one row. */
  row(name: string): readonly bigint[];
  /** What messages call the question. */
  readonly place: string;
}

const matrix = (numbers: Numbers): AnyRandomizer => new StochasticMatrix(numbers.matrix("weights"));

const unary = ({ whole, size }: Numbers): AnyRandomizer =>
  new UnaryEncoding(size("size"), whole("if_true"), whole("if_other"), size("word"));

const MECHANISMS: ReadonlyMap<string, (numbers: Numbers) => AnyRandomizer> = new Map([
  ["warner", matrix],
  ["forced", matrix],
  ["unrelated", matrix],
  ["matrix", matrix],
  ["metric", matrix],
  ["grr", ({ whole, size }) => new RandomizedResponse(size("size"), whole("truth"), whole("other"))],
  ["pad-grr", ({ whole, size }) =>
    new PaddedResponse(size("size"), size("most"), whole("truth"), whole("other"))],
  ["pgr", ({ whole, size }) =>
    new ProjectiveResponse(size("size"), whole("order"), whole("dimension"), whole("truth"), whole("other"))],
  ["dithered", ({ whole, size }) =>
    new DitheredResponse(Number(whole("size")), size("grid"), size("levels"), whole("truth"), whole("other"))],
  ["arcs", (numbers) => {
    const { whole, size } = numbers;
    const weights = numbers.matrix("weights")[0]!;
    return new Arcs(size("size"), size("modulus"), size("width"), whole("truth"), whole("other"), weights);
  }],
  ["square-wave", ({ whole, size }) => new SquareWave(size("size"), size("width"), whole("truth"), whole("other"))],
  ["taxonomy", ({ whole, size, row, matrix, place }) =>
    new TaxonomyResponse(
      size("size"), row("parents").map(Number), row("law"), matrix("spaces"), whole("truth"), whole("other"), place,
    )],
  ["tree", ({ whole, size, row, matrix, place }) =>
    new TreeResponse(size("size"), row("law"), matrix("spaces"), whole("truth"), whole("other"), place)],
  ["codebook", ({ whole, size }) =>
    new CodebookResponse(
      size("dimensions"), size("words"), size("near"), whole("truth"), whole("other"), size("word"),
    )],
  ["pyramid", ({ whole, size, row, matrix, place }) =>
    new TreeResponse(
      size("size"), row("law"), matrix("spaces"), whole("truth"), whole("other"), place, grids(size("size"), place),
    )],
  ["subsets", ({ whole, size, row, matrix, place }) =>
    new SubsetsResponse(
      row("sizes").map(Number), size("together"), matrix("spaces"), whole("truth"), whole("other"), place,
    )],
  ["sue", unary],
  ["oue", unary],
  ["rappor", ({ whole, size }) =>
    new Rappor({
      bits: size("bits"),
      hashes: size("hashes"),
      cohorts: size("cohorts"),
      flip: whole("flip"),
      ifOne: whole("if_one"),
      ifZero: whole("if_zero"),
      word: size("word"),
    })],
]);

/** The randomizer of a mechanism; undefined if there is none of that name here. */
export function randomizerOf(mechanism: string, integers: Integers, place: string): AnyRandomizer | undefined {
  return MECHANISMS.get(mechanism)?.(numbersOf(integers, place));
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
  return {
    place,
    whole,
    matrix,
    row: (name) => matrix(name)[0]!,
    size: (name) => {
      const number = whole(name);
      if (number > 1n << 32n) throw new SurveyError(`${place}: expected ${name} to be at most 2^32`);
      return Number(number);
    },
  };
}
