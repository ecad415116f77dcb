/** Surveys, as a device knows them: read from their compiled form, and checked against their own fingerprints. */

import { utf8 } from "./bytes.js";
import { readJSON } from "./checks.js";
import { COMPILED, type CompiledQuestion, type CompiledSurvey } from "./compiled.js";
import { AnswerError, SurveyError } from "./errors.js";
import { questionFingerprint, surveyFingerprint, termsDigest } from "./fingerprint.js";
import { type Design, designed } from "./mechanisms.js";
import { Rappor } from "./rappor.js";
import type { Value } from "./randomizer.js";
import { type Ratio, bound } from "./ratio.js";

/** A boolean for a boolean question, else a text. */
export type Answer = boolean | string;

const LONGEST_TEXT = 4096;
const TYPES = new Set(["boolean", "category", "text"]);

/** The survey that a compiled form holds. Throws `SurveyError` unless fingerprints and terms are what it says. */
export async function readSurvey(source: string, pinned: { readonly terms?: string } = {}): Promise<Survey> {
  const compiled = readJSON(source, COMPILED, "survey", SurveyError);
  for (const question of compiled.questions) {
    const computed = await questionFingerprint(question, compiled);
    expectSame(computed, question.fingerprint, `the fingerprint of ${question.name}`);
  }
  expectSame(await surveyFingerprint(compiled), compiled.fingerprint, "the fingerprint of the survey");
  expectSame(await termsDigest(compiled), compiled.terms, "the terms of the survey");
  expectSame(compiled.terms, pinned.terms ?? compiled.terms, "the terms of the survey");
  return new Survey(compiled);
}

export class Survey {
  readonly name: string;
  readonly fingerprint: string;
  readonly terms: string;
  /** The length of its epochs in seconds; undefined if it has none. */
  readonly epoch: number | undefined;
  readonly questions: readonly Question[];
  /** The ratio that everything a device ever sends may come to; undefined if only the questions set limits. */
  readonly lifetime: Ratio | undefined;

  constructor(compiled: CompiledSurvey) {
    this.name = compiled.name;
    this.fingerprint = compiled.fingerprint;
    this.terms = compiled.terms;
    this.epoch = compiled.epoch;
    const together = new Set(compiled.groups.flat());
    this.questions = compiled.questions.map((question) => new Question(question, together.has(question.name)));
    this.lifetime = compiled.lifetime ? bound(compiled.lifetime.epsilon) : undefined;
  }

  /** The question of a name. */
  question(name: string): Question {
    const found = this.questions.find((question) => question.name === name);
    if (!found) throw new AnswerError(`expected the name of one of the survey's questions, got ${name}`);
    return found;
  }
}

export class Question {
  readonly name: string;
  readonly text: string;
  readonly type: string;
  readonly values: readonly string[] | null;
  readonly mechanism: string;
  readonly fingerprint: string;
  /** How often the price of the question may be charged. */
  readonly charges: number;
  readonly #design: Design | undefined;
  #price: Ratio | undefined;

  constructor(compiled: CompiledQuestion, readonly inGroup: boolean) {
    this.name = compiled.name;
    this.text = compiled.text;
    this.type = compiled.type;
    this.values = compiled.values;
    this.mechanism = compiled.mechanism;
    this.fingerprint = compiled.fingerprint;
    this.charges = compiled.charges;
    this.#design = designed(compiled.mechanism, compiled.integers, `question ${compiled.name}`);
    if (this.#design && !this.#takesText && this.#design.size !== this.values?.length) {
      throw new SurveyError(`question ${this.name}: expected ${this.#design.size} values`);
    }
  }

  /** What makes the reports. Throws `AnswerError` if this client cannot. */
  get randomizer(): Design {
    if (this.inGroup) {
      throw new AnswerError(`question ${this.name} is answered together with others, which this client cannot do`);
    }
    if (!this.#design) throw new AnswerError(`question ${this.name}: this client has no mechanism ${this.mechanism}`);
    return this.#design;
  }

  /** Whether this client can answer it. */
  get answerable(): boolean {
    return this.#design !== undefined && !this.inGroup && TYPES.has(this.type);
  }

  /** The ratio that one charge stands for: everything ever sent about one value, or the one report. */
  get price(): Ratio {
    const { randomizer } = this;
    this.#price ??= randomizer instanceof Rappor && randomizer.memoizes ? randomizer.lifetimeRatio : randomizer.ratio;
    return this.#price;
  }

  /** What the randomizer takes for an answer. Throws `AnswerError`, which does not repeat the answer. */
  value(answer: Answer): Value {
    const { values } = this;
    if (!TYPES.has(this.type)) throw new AnswerError(`question ${this.name}: this client has no type ${this.type}`);
    if (this.type === "boolean") {
      if (typeof answer !== "boolean") throw this.#unfit("true or false");
      return this.#numberOrText(Number(answer));
    }
    if (typeof answer !== "string") throw this.#unfit("a text");
    if (this.type === "category" && values) {
      const index = values.indexOf(answer);
      if (index < 0) throw this.#unfit(`one of ${values.length} values`);
      return this.#numberOrText(index);
    }
    const encoded = utf8(answer);
    if (!encoded.length || encoded.length > LONGEST_TEXT || /\p{Surrogate}/u.test(answer)) {
      throw this.#unfit(`a text of 1 to ${LONGEST_TEXT} bytes in UTF-8`);
    }
    return encoded;
  }

  /** Whether texts are hashed: then values are told by their texts too. */
  get #takesText(): boolean {
    return this.#design instanceof Rappor && this.#design.integers.hashes > 0;
  }

  #numberOrText(index: number): Value {
    return this.#takesText ? utf8(this.values![index]!) : index;
  }

  #unfit(expected: string): AnswerError {
    return new AnswerError(`question ${this.name}: expected ${expected}`);
  }
}

function expectSame(found: string, expected: string, what: string): void {
  if (found !== expected) throw new SurveyError(`expected ${what} to be ${expected}, got ${found}`);
}
