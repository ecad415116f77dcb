/** A row of the table of answer types: how answers to questions of some types become what a randomizer takes. */

import { toInteger } from "./bytes.js";
import type { CompiledChoices, CompiledQuestion } from "./compiled.js";
import type { Placed } from "./contributions.js";
import { AnswerError, SurveyError } from "./errors.js";
import type { Fraction } from "./fraction.js";
import { type Random, bytesFrom } from "./randomness.js";
import { type Randomizer, type Taken, type Value, isMemoized } from "./randomizer.js";

/** Reads the answers to one question. */
export interface Reader {
  readonly gives: Taken;
  /** How many values there are, or numbers in a vector; undefined where any text is one. */
  readonly size: number | undefined;
  /** What the randomizer takes for an answer, a listed value by its number. Throws `AnswerError`. */
  value(answer: unknown, random: Random): Value;
  /** The same of one record, before it is rounded, where it is a number that may lie between two points. */
  readonly placed?: (record: unknown) => Placed;
  /** Where records are numbers. */
  readonly line?: Line;
}

/** Numbers that can be added up. */
export interface Line {
  /** Whether some lie between two values. */
  readonly hasBetween: boolean;
  /** The exact number that a record is. Throws `AnswerError`. */
  exact(record: unknown): Fraction;
  /** A number of the range: itself, or what stands in for it. Throws `AnswerError`. */
  within(number: Fraction): Fraction;
  placed(number: Fraction): Placed;
}

/** A question as its reader knows it. */
export interface Asked extends CompiledChoices, Partial<Pick<CompiledQuestion, "fields" | "ball" | "per_device">> {
  readonly randomizer: Randomizer | undefined;
  /** The reader of a part of it. */
  part(field: CompiledChoices, name: string): Reader;
}

export type AnswerType = readonly [types: readonly string[], reader: (asked: Asked) => Reader];

/** What is drawn to round a number to a point of its scale. */
const ROUNDING_BYTES = 8;

/** A draw that a number between two points goes up by, if it is less. */
export function roundingDraw(random: Random): bigint {
  return toInteger(bytesFrom(random, ROUNDING_BYTES));
}

/** Whether numbers between two points are rounded: not where a permanent response is kept for a point. */
export function rounds({ randomizer }: Asked, { hasBetween }: Line): boolean {
  return hasBetween && !(randomizer && isMemoized(randomizer));
}

/** A number is refused between two points, or rounded, whether or not it lies there. */
export function rounded({ value, rest }: Placed, isRounded: boolean, random: Random, name: string): Value {
  if (!isRounded && rest) throw unfit(name, "a number on its scale, got one between two points");
  return isRounded ? (value as number) + Number(roundingDraw(random) < rest) : value;
}

/** Texts are compared and hashed in Unicode's normalization form C, in which an é is one character. */
export function composed(text: string): string {
  return text.normalize("NFC");
}

/** Where texts are among some values, whichever form either is in; -1 for anything else. */
export function placesIn(values: readonly string[], name: string): (text: unknown) => number {
  const places = new Map(values.map((value, place) => [composed(value), place]));
  if (places.size < values.length) throw new SurveyError(`question ${name}: expected values that all differ`);
  return (text) => (typeof text === "string" ? places.get(composed(text)) ?? -1 : -1);
}

/** An answer that does not fit its question; it is not repeated. */
export function unfit(name: string, expected: string): AnswerError {
  return new AnswerError(`question ${name}: expected ${expected}`);
}
