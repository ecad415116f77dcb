/**
 * Answers in, randomized reports out (`client/ldp_client/answering/respondent.py`, `memory.py`): what a device sends about one person.
 *
 * - A question that takes one report is answered once. One with permanent responses is answered any number of times: an
 *   answer met before re-uses its response; a new one is charged for, from what was set aside; one that comes too late is
 *   reported by the response that was reported last, as silence would tell that it changed.
 * - Of the questions of a draw the device answers some, which it draws before it looks at any answer, and keeps.
 * - Questions of a group are answered together or not at all, each as it would be by itself, and travel as one row.
 * - Whatever is charged is charged before a report exists. No answer is stored: memo keys are hashes under a secret.
 * - Where randomness comes from the device's secret (`tapes.ts`), all that is drawn once for a device does, and a report that is
 *   made once carries a mark that is the same after a rollback.
 *
 * Everything is called in a transaction.
 */

import { type Account, renew } from "./account.js";
import { note } from "./agreement.js";
import { blake2b } from "./blake2b.js";
import { type Bytes, concat, fromHex, hex, toBytes } from "./bytes.js";
import { drawn, written as writtenDraw } from "./draws.js";
import { StateError } from "./errors.js";
import { type Random, bytesFrom } from "./randomness.js";
import { type Cohort, type Memoized, type Value, isMemoized } from "./randomizer.js";
import type { Report } from "./reports.js";
import { KINDS, type Scope } from "./scope.js";
import type { Part } from "./sha256.js";
import type { Records } from "./store.js";
import type { Answer, Question, Survey } from "./survey.js";
import { SECRET_SIZE, tape, written } from "./tapes.js";
import type { Vault } from "./vault.js";

/** One for all that a store holds: what is restored has it, whichever surveys have come since. */
const SECRET = `${KINDS.secret}all`;
const MEMO_SIZE = 16;
const COHORT_SIZE = 8;
const MARK_SIZE = 16;

/** Answers to a question, or to a group, whose report travels under a fingerprint. */
export interface Asked {
  readonly fingerprint: Bytes;
  readonly questions: readonly Question[];
  readonly answers: readonly Answer[];
}

/** `derives`: whether what is drawn once comes from the device's secret, and not from `random`. */
export class Respondent {
  #secret: Bytes | undefined;

  constructor(
    private readonly records: Records, private readonly survey: Survey, private readonly scope: Scope,
    private readonly account: Account, private readonly random: Random, private readonly vault: Vault,
    private readonly derives: boolean,
  ) {}

  /**
   * A report; undefined where the device answers another question. Throws `AnswerError`, `AlreadyAnsweredError`,
   * `BudgetError`, `RandomnessError` or `StateError`.
   */
  report(asked: Asked): Report | undefined {
    const { fingerprint, questions } = asked;
    const isOnce = !repeats(questions);
    const values = this.#values(asked, isOnce);
    if (!questions.every((question) => this.#isDrawn(question))) return undefined;
    const row = concat(questions.map((question, place) => this.#row(question, values[place]!, isOnce)));
    const isMarked = this.derives && isOnce;
    const mark = isMarked ? this.#source("mark", concat([fingerprint, this.scope.owner]), row)(MARK_SIZE) : undefined;
    return { fingerprint, row, epoch: this.survey.epoch, mark };
  }

  /** Draw which questions the device answers, if that was not done, and the answers fit. Throws `AnswerError`. */
  draw(asked: Asked): void {
    this.#values(asked, !repeats(asked.questions));
    for (const question of asked.questions) this.#isDrawn(question);
  }

  /** The device's secret, which is drawn when it is asked for first. Throws `StateError`. */
  secret(): Bytes {
    return (this.#secret ??= this.#opened());
  }

  #opened(): Bytes {
    const entry = this.records.get(SECRET);
    const secret = entry ? this.vault.opened(entry) : bytesFrom(this.random, SECRET_SIZE);
    if (!entry || this.vault.wouldSeal(entry)) this.records.put(SECRET, this.vault.sealed(secret, this.random));
    return secret;
  }

  /** One tape whatever the answer is: it only rounds, or chooses one of several records. What is repeated chooses anew. */
  #values({ questions, answers }: Asked, isOnce: boolean): Value[] {
    const source = (question: Question): Random => (isOnce ? this.#source("answer", this.#keyOf(question)) : this.random);
    return questions.map((question, place) => question.value(answers[place]!, source(question)));
  }

  /** Whether the device answers a question: it is drawn now, if that was not done. */
  #isDrawn({ draw, name }: Question): boolean {
    if (!draw) return true;
    const text = writtenDraw(draw);
    const key = KINDS.draw + this.scope.drawKey(this.survey, text);
    // What was charged for is among them, should the record of it be lost.
    const charged = (): string[] => draw.questions.filter((member) => this.account.answered(this.survey.question(member)));
    const source = (): Random => this.#source("draw", this.scope.drawPart(this.survey, text));
    const kept = this.records.get(key) ?? drawn(draw, source(), charged());
    this.records.put(key, kept);
    return kept.includes(name);
  }

  #row(question: Question, value: Value, isOnce: boolean): Bytes {
    const { randomizer } = question;
    if (isMemoized(randomizer)) return this.#repeated(question, randomizer, value, isOnce);
    this.account.chargeOnce(question);
    return randomizer.randomize(value, this.#source("report", this.#keyOf(question), written(question, value)));
  }

  #repeated(question: Question, memoized: Memoized, value: Value, isOnce: boolean): Bytes {
    const { records } = this;
    const place = this.scope.key(question);
    const cohort = this.#cohort(question, memoized);
    let memo = this.#memo(question, cohort, memoized.memoValue(value, cohort));
    let key = `${KINDS.permanent}${place}/${hex(memo)}`;
    let kept = records.get(key);
    if (!kept && this.account.chargeValue(question)) {
      // The memo is a hash of the value under the secret.
      kept = [hex(memoized.permanent(value, cohort, this.#source("permanent", concat([this.#keyOf(question), memo]))))];
      records.put(key, kept);
    } else if (!kept) {
      key = records.get(KINDS.last + place)?.[0] as string;
      memo = fromHex(key.slice(-2 * MEMO_SIZE));
      kept = records.get(key);
    }
    if (!kept) throw new StateError(`question ${question.name}: expected the response that was reported last`);
    records.put(KINDS.last + place, [key]);
    // What travels with a report that is made once has to be the same again as well.
    const fresh = isOnce ? this.#source("fresh", concat([this.#keyOf(question), memo])) : this.random;
    return memoized.instantaneous(fromHex(kept[0] as string), cohort, fresh);
  }

  #cohort(question: Question, memoized: Memoized): Cohort {
    const key = KINDS.cohort + this.scope.key(question);
    const kept = this.records.get(key) ?? [memoized.drawCohort(this.#source("cohort", this.#keyOf(question)))];
    this.records.put(key, kept);
    return kept[0] as Cohort;
  }

  /** A keyed hash of a value, of this question, cohort and collector. */
  #memo(question: Question, cohort: Cohort, value: Value): Bytes {
    const told = value instanceof Uint8Array ? value : toBytes(BigInt(Number(value)), 4);
    const message = concat([this.#keyOf(question), toBytes(BigInt(cohort), COHORT_SIZE), told]);
    return blake2b(message, MEMO_SIZE, this.secret());
  }

  /** What stands for a question and its collector in tapes and hashes. */
  #keyOf({ fingerprint }: Question): Bytes {
    return concat([fromHex(fingerprint), this.scope.owner]);
  }

  #source(...parts: readonly Part[]): Random {
    return this.derives ? tape(this.secret(), ...parts) : this.random;
  }
}

/** Whether there is a report whenever they are answered. */
function repeats(questions: readonly Question[]): boolean {
  return questions.every(({ randomizer }) => isMemoized(randomizer));
}

/** Forget all secrets, cohorts and permanent responses, and note that in the ledger. What was charged stays charged. */
export function erase(records: Records, reason: string, day: number): void {
  for (const kind of [KINDS.secret, KINDS.cohort, KINDS.permanent, KINDS.last]) {
    for (const key of records.keys(kind)) records.delete(key);
  }
  note(records, reason, day);
  renew(records);
}
