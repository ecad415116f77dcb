/** Several questions of which a device answers one, with the whole epsilon (`ldp/draws.py`). */

import { type Check, integerFrom, listOf, record, text } from "./checks.js";
import { SurveyError } from "./errors.js";
import { type Random, randbelow } from "./randomness.js";

/** The questions of which a device answers one, by name, and how likely each is. */
export interface Draw {
  readonly questions: readonly string[];
  readonly weights: readonly number[];
}

const MOST_WEIGHT = 65536;

export const DRAW: Check<Draw> = record<Draw>({ questions: listOf(text), weights: listOf(integerFrom(1, MOST_WEIGHT)) });

/** What fingerprints cover of it. */
export function written({ questions, weights }: Draw): string {
  return questions.map((name, place) => `${name}:${weights[place]}`).join();
}

/** One of the questions, drawn without a look at any answer. */
export function drawn({ questions, weights }: Draw, random: Random): string {
  const total = weights.reduce((sum, weight) => sum + weight);
  let number = Number(randbelow(BigInt(total), random));
  const place = weights.findIndex((weight) => (number -= weight) < 0);
  return questions[place]!;
}

/** The draw of each question that is in one, by its name. Throws `SurveyError` for one that is none. */
export function drawsByName(draws: readonly Draw[], names: ReadonlySet<string>): ReadonlyMap<string, Draw> {
  const byName = new Map(draws.flatMap((draw) => draw.questions.map((name) => [name, draw] as const)));
  const listed = draws.flatMap(({ questions }) => questions);
  const fitting = draws.every(({ questions, weights }) => questions.length > 1 && questions.length === weights.length);
  if (!fitting || byName.size < listed.length || !listed.every((name) => names.has(name))) {
    throw new SurveyError("survey.draws: expected two questions or more in each, in one draw at most, and a weight for each");
  }
  return byName;
}
