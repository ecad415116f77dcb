/**
 * What a device may still spend (`client/ldp_client/answering/budget.py`), in such a way that no stop tells what was answered.
 *
 * A question with permanent responses costs its price once for every value whose response is kept, so what it has cost
 * depends on the answers; what limits count must not. All that it may ever cost is set aside when it is answered first:
 * its `charges`, or as many as the limits allow after one for each other question that was not answered yet (but at
 * least one, if that is allowed without). So whether there is a report depends on what was asked, and on no answer.
 *
 * Three limits. What a survey spends is at most what its version that was answered first could cost in all, or any lower
 * lifetime epsilon since: no other version raises that, unless the person agrees to it. Its lifetime epsilon holds
 * whatever address its reports go to. What all surveys of a storage spend together has a cap: what the app says, else the usual one, or what the first survey asks for if that is more.
 */

import { BudgetError } from "./errors.js";
import { type Ratio, bound, power, product, roundedUp, smaller, within } from "./ratio.js";
import { type Draw, answersOf } from "./draws.js";
import type { Question } from "./survey.js";

/** Epsilon 10: beyond it anyone who thought something 50 % likely may come to think it 99.995 % likely. */
const USUAL_CAP = bound("10");
/** The most that a survey may spend, whatever it says. */
export const MOST = bound("1000");

/** A bound, and what counts towards it. */
export interface Limit {
  readonly most: Ratio;
  readonly spent: Ratio;
}

/**
 * The questions that one device may be charged for together: of each draw the dearest that this client answers, as many
 * as it draws, less those that were answered.
 */
export function chargeable(questions: readonly Question[], answered: readonly Question[] = []): Question[] {
  const draws = new Set(questions.flatMap(({ draw }) => draw ?? []));
  const of = (own: Draw, among: readonly Question[]): Question[] => among.filter(({ draw }) => draw === own);
  const dearest = [...draws].flatMap((draw) => {
    const left = Math.max(answersOf(draw) - of(draw, answered).length, 0);
    return of(draw, questions).sort((one, other) => (within(one.price, other.price) ? 1 : -1)).slice(0, left);
  });
  return [...questions.filter(({ draw }) => !draw), ...dearest];
}

/** What a survey may come to on a device: its lifetime epsilon, or what was spent and all that questions may cost. */
export function askedFor(lifetime: Ratio | undefined, spent: Ratio, questions: readonly Question[]): Ratio {
  if (lifetime) return lifetime;
  let total = spent;
  for (const { price, charges } of chargeable(questions.filter(({ answerable }) => answerable))) {
    if (within(total, MOST)) total = product([total, power(price, charges)]);
  }
  return smaller(roundedUp(total), MOST);
}

/** The cap of a storage whose first survey asks for a ratio. */
export function usualCap(asked: Ratio): Ratio {
  return within(asked, USUAL_CAP) ? USUAL_CAP : asked;
}

/** How many charges to set aside for a question, given those that are still to be answered. */
export function affordable(question: Question, others: readonly Question[], limits: readonly Limit[]): number {
  const fits = (price: Ratio): boolean => limits.every(({ most, spent }) => within(product([spent, price]), most));
  if (!fits(question.price)) {
    throw new BudgetError(`question ${question.name} costs more than is left of what this device may spend`);
  }
  let number = 1;
  let together = product([question, ...others].map(({ price }) => price));
  while (number < question.charges) {
    together = product([together, question.price]);
    if (!fits(together)) break;
    number += 1;
  }
  return number;
}
