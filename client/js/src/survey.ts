/** Surveys, as a device knows them: read from their compiled form, and checked against their own fingerprints. */

import { toInteger, utf8 } from "./bytes.js";
import { readJSON } from "./checks.js";
import { COMPILED, type CompiledQuestion, type CompiledSurvey } from "./compiled.js";
import { AnswerError, SurveyError } from "./errors.js";
import { exactly } from "./fraction.js";
import { questionFingerprint, surveyFingerprint, termsDigest } from "./fingerprint.js";
import { type AnyRandomizer, randomizerOf } from "./mechanisms.js";
import { Rappor } from "./rappor.js";
import { type Random, bytesFrom, system } from "./randomness.js";
import type { Value } from "./randomizer.js";
import { type Ratio, bound } from "./ratio.js";
import { type CompiledScale, Scale } from "./scale.js";

/**
 * A boolean for a boolean question; for one of type integer or number, a bigint, or a number, which is taken for its
 * shortest decimal text: 0.1 is a tenth; else a text.
 */
export type Answer = boolean | string | number | bigint;

const LONGEST_TEXT = 4096;
const TYPES = new Set(["boolean", "category", "integer", "number", "text"]);
/** What is drawn to round a number to a point of its scale. */
const ROUNDING_BYTES = 8;

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
  /** Of a question of type number: its points or cells, and its unit. */
  readonly scale: CompiledScale | undefined;
  /** Where values are leaves of a tree: the node above each, and above each node that has any, for menus. */
  readonly parents: ReadonlyMap<string, string> | undefined;
  readonly mechanism: string;
  readonly fingerprint: string;
  /** How often the price of the question may be charged. */
  readonly charges: number;
  readonly #randomizer: AnyRandomizer | undefined;
  readonly #scale: Scale | undefined;
  #price: Ratio | undefined;

  constructor(compiled: CompiledQuestion, readonly inGroup: boolean) {
    this.name = compiled.name;
    this.text = compiled.text;
    this.type = compiled.type;
    this.values = compiled.values;
    this.scale = compiled.scale;
    this.parents = compiled.parents;
    this.mechanism = compiled.mechanism;
    this.fingerprint = compiled.fingerprint;
    this.charges = compiled.charges;
    const place = `question ${compiled.name}`;
    const isNumber = compiled.type === "number";
    if (isNumber !== (compiled.scale !== undefined) || (isNumber && compiled.values)) {
      throw new SurveyError(`${place}: expected a scale for type number, and only there, in place of values`);
    }
    this.#scale = compiled.scale && new Scale(compiled.scale, place);
    this.#randomizer = randomizerOf(compiled.mechanism, compiled.integers, place);
    const size = this.#scale?.size ?? this.values?.length;
    if (this.#randomizer && !this.#takesText && this.#randomizer.size !== size) {
      throw new SurveyError(`${place}: expected ${this.#randomizer.size} values`);
    }
  }

  /** What makes the reports. Throws `AnswerError` if this client cannot. */
  get randomizer(): AnyRandomizer {
    if (this.inGroup) {
      throw new AnswerError(`question ${this.name} is answered together with others, which this client cannot do`);
    }
    if (!this.#randomizer) throw new AnswerError(`question ${this.name}: this client has no mechanism ${this.mechanism}`);
    return this.#randomizer;
  }

  /** Whether this client can answer it. */
  get answerable(): boolean {
    return this.#randomizer !== undefined && !this.inGroup && this.#takesType;
  }

  /** The ratio that one charge stands for: everything ever sent about one value, or the one report. */
  get price(): Ratio {
    const { randomizer } = this;
    this.#price ??= randomizer instanceof Rappor && randomizer.memoizes ? randomizer.lifetimeRatio : randomizer.ratio;
    return this.#price;
  }

  /**
   * What the randomizer takes for an answer. A number between two points of its scale is rounded to one of them, at
   * random: eight bytes are drawn for that whatever the answer is. Throws `AnswerError`, which does not repeat the answer.
   */
  value(answer: Answer, random: Random = system): Value {
    const { values } = this;
    if (!this.#takesType) {
      throw new AnswerError(`question ${this.name}: this client has no type ${this.type} for ${this.mechanism}`);
    }
    if (this.#scale) return this.#rounded(answer, this.#scale, random);
    if (this.type === "boolean") {
      if (typeof answer !== "boolean") throw this.#unfit("true or false");
      return this.#numberOrText(Number(answer));
    }
    if (this.type === "integer" && values) {
      const index = Number.isInteger(answer) || typeof answer === "bigint" ? values.indexOf(String(answer)) : -1;
      if (index < 0) throw this.#unfit(`a whole number from ${values[0]} to ${values.at(-1)}`);
      return this.#numberOrText(index);
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
    return this.#randomizer instanceof Rappor && this.#randomizer.integers.hashes > 0;
  }

  /** Texts of points and cells are not hashed here. */
  get #takesType(): boolean {
    return TYPES.has(this.type) && !(this.#scale && this.#takesText);
  }

  #rounded(answer: Answer, scale: Scale, random: Random): number {
    const number = exactly(answer);
    if (!number) throw this.#unfit("a number");
    const placed = scale.place(number);
    if (!placed) throw this.#unfit("a number on its scale, got one outside");
    const { value, rest } = placed;
    // A permanent response is kept for a value: the same answer must have the same one.
    if (scale.hasPoints && !(this.#randomizer instanceof Rappor && this.#randomizer.memoizes)) {
      return value + Number(toInteger(bytesFrom(random, ROUNDING_BYTES)) < rest);
    }
    if (rest) throw this.#unfit("a number on its scale, got one between two points");
    return value;
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
