/**
 * The device's side: answers in, randomized reports out.
 *
 * - `record` randomizes at once; the answer is not kept, logged, or repeated in an error.
 * - A question whose budget is spent by one report is answered once. One with permanent responses is answered any
 *   number of times: an answer met before re-uses its permanent response. A new one is charged for, up to a number of
 *   values that the survey sets; the last of these is in reserve for a fixed value, whose response is reported for
 *   every value that came too late: silence would tell that the answer changed.
 * - What was spent is in the storage before the report is handed out; if anything fails before, nothing is spent.
 */

import { type Bytes, fromHex } from "./bytes.js";
import { AlreadyAnsweredError } from "./errors.js";
import { Memory } from "./memory.js";
import { type Random, system } from "./randomness.js";
import { Rappor } from "./rappor.js";
import type { Value } from "./randomizer.js";
import type { Report } from "./reports.js";
import { MemoryStorage, type Storage } from "./storage.js";
import type { Answer, Question, Survey } from "./survey.js";

/** `storage` is where the device remembers; without one it forgets when the page or process ends. */
export interface Settings {
  readonly storage?: Storage;
  readonly random?: Random;
}

export class Client {
  readonly #storage: Storage;
  readonly #random: Random;

  constructor(readonly survey: Survey, { storage = new MemoryStorage(), random = system }: Settings = {}) {
    this.#storage = storage;
    this.#random = random;
  }

  /**
   * A report of `answer` to the question called `name`. Throws `AnswerError`, `AlreadyAnsweredError`, `BudgetError`,
   * `RandomnessError` or `StateError`; then there is no report.
   */
  async record(name: string, answer: Answer): Promise<Report> {
    const question = this.survey.question(name);
    const value = question.value(answer);
    return this.#storage.exclusively(Memory.key(this.survey), async () => {
      const memory = await Memory.open(this.survey, this.#storage);
      const row = await this.#row(question, value, memory);
      await memory.keep();
      return { fingerprint: fromHex(question.fingerprint), row, epoch: this.survey.epoch };
    });
  }

  async #row(question: Question, value: Value, memory: Memory): Promise<Bytes> {
    const { randomizer } = question;
    if (randomizer instanceof Rappor && randomizer.memoizes) return this.#repeated(question, randomizer, value, memory);
    if (memory.answered(question)) {
      throw new AlreadyAnsweredError(
        `question ${question.name} was answered on this device before, and one report spends its whole epsilon; ` +
          "send that report's bytes again",
      );
    }
    memory.charge(question);
    return randomizer.randomize(value, this.#random);
  }

  async #repeated(question: Question, rappor: Rappor, value: Value, memory: Memory): Promise<Bytes> {
    const random = this.#random;
    const cohort = memory.cohort(question, rappor, random);
    const reserve = await memory.memoKey(question, cohort, question.fixedValue, random);
    let key = await memory.memoKey(question, cohort, value, random);
    let permanent = memory.permanent(question, key);
    if (!permanent && key !== reserve) {
      if (memory.kept(question, reserve) >= question.charges - 1 || !memory.affordable(question)) {
        [key, value] = [reserve, question.fixedValue];
        permanent = memory.permanent(question, key);
      }
    }
    if (!permanent) {
      memory.charge(question);
      permanent = rappor.permanent(value, cohort, random);
      memory.keepPermanent(question, key, permanent);
    }
    return rappor.instantaneous(permanent, cohort, random);
  }
}
