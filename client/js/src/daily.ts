/**
 * At most one report a day about a question that may be answered again and again (`client/ldp_client/embedding/daily.py`): a device that
 * asks often would otherwise weigh more than others. It is the first answer of a day that is reported, whatever it is; the day
 * is that of the clock (UTC).
 */

import { AnswerError } from "./errors.js";
import { isMemoized } from "./randomizer.js";
import { KINDS, type Scope } from "./scope.js";
import type { Records } from "./store.js";
import type { Question } from "./survey.js";

/** Whether a question was reported today; from now on it was. Throws `AnswerError` for one that is answered once. */
export function againToday(records: Records, scope: Scope, { name, randomizer, fingerprint }: Question, day: number): boolean {
  if (!isMemoized(randomizer)) {
    throw new AnswerError(`question ${name}: expected one whose responses are memoized, to be recorded daily, got one that is answered once`);
  }
  const key = KINDS.daily + scope.key(fingerprint);
  if (records.get(key)?.[0] === day) return true;
  records.put(key, [day]);
  return false;
}
