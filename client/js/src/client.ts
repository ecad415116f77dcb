/**
 * The device's side: answers in, randomized reports out.
 *
 * - `record` randomizes at once; the answer is not kept, logged, or repeated in an error.
 * - A question whose budget is spent by one report is answered once. One with permanent responses is answered any
 *   number of times: an answer met before re-uses its permanent response, and a new one gets its own as long as charges
 *   are left; from then on it gets the response that was reported last. Silence would tell that the answer changed.
 * - All that a question may ever cost is set aside when it is answered first (`budget.ts`), and that is in the storage
 *   before the report is handed out; if anything fails before, nothing is spent.
 */

import { type Attributes, checkSaid, combinationOf } from "./attributes.js";
import { type Bytes, fromHex } from "./bytes.js";
import { AlreadyAnsweredError, NotDrawnError } from "./errors.js";
import { Memory, STATE_KEY } from "./memory.js";
import { type Random, system } from "./randomness.js";
import { type Memoized, type Value, isMemoized } from "./randomizer.js";
import { type Ratio, bound } from "./ratio.js";
import type { Report } from "./reports.js";
import type { Registers } from "./settings.js";
import { MemoryStorage, type Storage } from "./storage.js";
import type { Answer, Question, Survey } from "./survey.js";

/**
 * - `storage` is where the device remembers; without one it forgets when the page or process ends.
 * - `collector` says where the reports go, an address or any other name: for each, the device is another one.
 * - `lifetimeCap` is the largest epsilon, as text, that all surveys in the storage may spend together: 10 unless the app
 *   says otherwise, or what the first survey asks for if that is more.
 * - `attributes` are what reports say openly of the device, of those that the survey lists; what is not given is unknown.
 * - `register` is a `PinnedRegister` (`register.ts`): a survey that does not stand in it, word for word, is not opened.
 */
export interface Settings {
  readonly storage?: Storage;
  readonly collector?: string;
  readonly lifetimeCap?: string;
  readonly attributes?: Attributes;
  readonly register?: Registers;
  readonly random?: Random;
}

export class Client {
  readonly #storage: Storage;
  readonly #collector: string;
  readonly #cap: Ratio | undefined;
  readonly #random: Random;
  readonly #said: Attributes;

  /** Throws `AnswerError` for an attribute that the survey does not list, and `SurveyError` for a survey that is not registered. */
  constructor(
    readonly survey: Survey,
    { storage = new MemoryStorage(), collector = "", lifetimeCap, attributes = {}, register, random = system }: Settings = {},
  ) {
    register?.check(survey);
    checkSaid(survey.attributes, attributes);
    this.#said = { ...attributes };
    this.#storage = storage;
    this.#collector = collector;
    this.#cap = lifetimeCap === undefined ? undefined : bound(lifetimeCap);
    this.#random = random;
  }

  /**
   * A report of `answer` to the question called `name`. Throws `AnswerError`, `AlreadyAnsweredError`, `BudgetError`,
   * `RandomnessError` or `StateError`; then there is no report. `NotDrawnError` where the device answers another question
   * of a draw, and drops this answer.
   */
  async record(name: string, answer: Answer): Promise<Report> {
    const question = this.survey.question(name).alone;
    const value = question.value(answer, this.#random);
    // Kept by itself, so that an answer that cannot be paid for draws nothing anew.
    if (question.draw && !(await this.isDrawn(name))) {
      throw new NotDrawnError(
        `question ${name}: this device drew another question of the same draw; the answer was dropped, and nothing is charged`,
      );
    }
    return this.#changing(async (memory) => ({
      fingerprint: fromHex(question.fingerprint),
      row: await this.#row(question, value, memory),
      epoch: this.survey.epoch,
      combination: combinationOf(this.survey.attributes, name, this.#said),
    }));
  }

  /**
   * Whether the device answers a question: yes, unless it drew another of the same draw. It is drawn now, if that was not
   * done. Throws `StateError`.
   */
  async isDrawn(name: string): Promise<boolean> {
    const question = this.survey.question(name);
    return this.#changing(async (memory) => memory.drawn(question, this.#random));
  }

  /**
   * The person has agreed to what this version of the survey may cost. Without that it may spend no more than the one
   * that was answered first. Say it when a person has agreed, and not at every start. Throws `StateError`.
   */
  async agree(): Promise<void> {
    await this.#changing(async (memory) => memory.agree());
  }

  /** Some work on the memory, which is kept before the result is handed out. */
  async #changing<T>(work: (memory: Memory) => Promise<T>): Promise<T> {
    return this.#storage.exclusively(STATE_KEY, async () => {
      const memory = await Memory.open(this.survey, this.#collector, this.#cap, this.#storage);
      const result = await work(memory);
      await memory.keep();
      return result;
    });
  }

  async #row(question: Question, value: Value, memory: Memory): Promise<Bytes> {
    const { randomizer } = question;
    if (isMemoized(randomizer)) return this.#repeated(question, randomizer, value, memory);
    if (memory.answered(question)) {
      throw new AlreadyAnsweredError(
        `question ${question.name} was answered on this device before, and one report spends its whole epsilon; ` +
          "send that report's bytes again",
      );
    }
    memory.setAside(question);
    return randomizer.randomize(value, this.#random);
  }

  async #repeated(question: Question, memoized: Memoized, value: Value, memory: Memory): Promise<Bytes> {
    const random = this.#random;
    if (!memory.answered(question)) memory.setAside(question, memoized.drawCohort(random));
    const cohort = memory.cohort(question);
    const key = await memory.memoKey(question, memoized.memoValue(value, cohort), random);
    let permanent = memory.recall(question, key);
    if (!permanent) {
      permanent = memoized.permanent(value, cohort, random);
      memory.keepResponse(question, key, permanent);
    }
    return memoized.instantaneous(permanent, cohort, random);
  }
}
