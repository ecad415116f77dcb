/**
 * Answers in, randomized reports out (`client/ldp_client/respondent.py`, `memory.py`): what a device sends about one person.
 *
 * - A question that takes one report is answered once. One with permanent responses is answered any number of times: an
 *   answer met before re-uses its response; a new one is charged for, from what was set aside; one that comes too late is
 *   reported by the response that was reported last, as silence would tell that it changed.
 * - Of the questions of a draw the device answers some, which it draws before it looks at any answer, and keeps.
 * - Questions of a group are answered together or not at all, each as it would be by itself, and travel as one row.
 * - Whatever is charged is charged before a report exists. No answer is stored: memo keys are hashes under a secret.
 *
 * Everything is called in a transaction.
 */

import { type Account, renew } from "./account.js";
import { note } from "./agreement.js";
import { type Bytes, concat, fromHex, hex, toBytes } from "./bytes.js";
import { drawn, written } from "./draws.js";
import { StateError } from "./errors.js";
import { type Random, bytesFrom } from "./randomness.js";
import { type Cohort, type Memoized, type Value, isMemoized } from "./randomizer.js";
import { KINDS, type Scope } from "./scope.js";
import { hmac } from "./sha256.js";
import type { Records } from "./store.js";
import type { Question, Survey } from "./survey.js";

const SECRET_SIZE = 32;
const KEY_SIZE = 16;
const COHORT_SIZE = 8;

/** Called for each answer, once its value is known. */
export class Respondent {
  constructor(
    private readonly records: Records, private readonly survey: Survey, private readonly scope: Scope,
    private readonly account: Account, private readonly random: Random,
  ) {}

  /** Whether the device answers a question: it is drawn now, if that was not done. */
  isDrawn({ draw, name }: Question): boolean {
    if (!draw) return true;
    const key = KINDS.draw + this.scope.drawKey(this.survey, written(draw));
    // What was charged for is among them, should the record of it be lost.
    const charged = (): string[] => draw.questions.filter((member) => this.account.answered(this.survey.question(member)));
    const kept = this.records.get(key) ?? drawn(draw, this.random, charged());
    this.records.put(key, kept);
    return kept.includes(name);
  }

  /** The bytes of a report. Throws `AlreadyAnsweredError`, `BudgetError`, `RandomnessError` or `StateError`. */
  row(question: Question, value: Value): Bytes {
    const { randomizer } = question;
    if (isMemoized(randomizer)) return this.#repeated(question, randomizer, value);
    this.account.chargeOnce(question);
    return randomizer.randomize(value, this.random);
  }

  #repeated(question: Question, memoized: Memoized, value: Value): Bytes {
    const { records, random } = this;
    const place = this.scope.key(question);
    const cohort = this.#cohort(place, memoized);
    let key = `${KINDS.permanent}${place}/${this.#memoKey(place, cohort, memoized.memoValue(value, cohort))}`;
    let kept = records.get(key);
    if (!kept && this.account.chargeValue(question)) {
      kept = [hex(memoized.permanent(value, cohort, random))];
      records.put(key, kept);
    } else if (!kept) {
      key = records.get(KINDS.last + place)?.[0] as string;
      kept = records.get(key);
    }
    if (!kept) throw new StateError(`question ${question.name}: expected the response that was reported last`);
    records.put(KINDS.last + place, [key]);
    return memoized.instantaneous(fromHex(kept[0] as string), cohort, random);
  }

  #cohort(place: string, memoized: Memoized): Cohort {
    const kept = this.records.get(KINDS.cohort + place) ?? [memoized.drawCohort(this.random)];
    this.records.put(KINDS.cohort + place, kept);
    return kept[0] as Cohort;
  }

  /** A keyed hash of a value, of this question, cohort and collector. */
  #memoKey(place: string, cohort: Cohort, value: Value): string {
    const kept = this.records.get(this.#secretKey) ?? [hex(bytesFrom(this.random, SECRET_SIZE))];
    this.records.put(this.#secretKey, kept);
    const told = value instanceof Uint8Array ? value : toBytes(BigInt(Number(value)), 4);
    const message = concat([fromHex(place), toBytes(BigInt(cohort), COHORT_SIZE), told]);
    return hex(hmac(fromHex(kept[0] as string), message).subarray(0, KEY_SIZE));
  }

  get #secretKey(): string {
    return KINDS.secret + this.scope.place(this.survey);
  }
}

/** Forget all secrets, cohorts and permanent responses, and note that in the ledger. What was charged stays charged. */
export function erase(records: Records, reason: string, day: number): void {
  for (const kind of [KINDS.secret, KINDS.cohort, KINDS.permanent, KINDS.last]) {
    for (const key of records.keys(kind)) records.delete(key);
  }
  note(records, reason, day);
  renew(records);
}
