/** Several questions of which a device answers one or a few, each with its whole epsilon (`ldp/survey/draws.py`). */

import { SurveyError } from "./errors.js";
import { type Random, randbelow } from "./randomness.js";

/** The questions of which a device answers some (one, unless it says how many), by name, and how likely each is. */
export interface Draw {
  readonly questions: readonly string[];
  readonly weights: readonly number[];
  readonly answers: number | undefined;
}

/** What fingerprints cover of it. */
export function written({ questions, weights, answers }: Draw): string {
  const weighted = questions.map((name, place) => `${name}:${weights[place]}`).join();
  return answers === undefined ? weighted : `${weighted};${answers}`;
}

/** How many of the questions a device answers. */
export function answersOf({ answers }: Draw): number {
  return answers ?? 1;
}

/** The questions that a device answers, drawn without a look at any answer. Those that are `known` are among them. */
export function drawn(draw: Draw, random: Random, known: readonly string[] = []): string[] {
  const weighted = draw.questions.map((name, place) => ({ name, weight: draw.weights[place]! }));
  const left = weighted.filter(({ name }) => !known.includes(name));
  const chosen = [...known];
  while (chosen.length < answersOf(draw)) {
    const total = left.reduce((sum, { weight }) => sum + weight, 0);
    let number = Number(randbelow(BigInt(total), random));
    const place = left.findIndex(({ weight }) => (number -= weight) < 0);
    chosen.push(...left.splice(place, 1).map(({ name }) => name));
  }
  return chosen;
}

/** The draw of each question that is in one, by its name. Throws `SurveyError` for one that is none. */
export function drawsByName(draws: readonly Draw[], names: ReadonlySet<string>): ReadonlyMap<string, Draw> {
  const byName = new Map(draws.flatMap((draw) => draw.questions.map((name) => [name, draw] as const)));
  const listed = draws.flatMap(({ questions }) => questions);
  const fitting = draws.every((draw) => {
    const questions = draw.questions.length;
    return questions > answersOf(draw) && questions === draw.weights.length;
  });
  if (!fitting || byName.size < listed.length || !listed.every((name) => names.has(name))) {
    throw new SurveyError("survey.draws: expected more questions in each than are answered, in one draw at most, and a weight for each");
  }
  return byName;
}
