/** Surveys, as a device knows them: of their compiled form, and of the parts of this client that they need. */

import type { Attribute } from "./attributes.js";
import type { AnswerType, Asked, Reader } from "./answertype.js";
import type { CompiledBall } from "./ball.js";
import { utf8 } from "./bytes.js";
import type { CompiledChoices, CompiledQuestion, CompiledSurvey } from "./compiled.js";
import type { PerDevice } from "./contributions.js";
import { type Draw, drawsByName } from "./draws.js";
import { AnswerError, SurveyError } from "./errors.js";
import { type Mechanism, randomizerOf } from "./mechanism.js";
import { type Random, system } from "./randomness.js";
import { type Randomizer, type Value, isMemoized } from "./randomizer.js";
import { type Ratio, bound, within } from "./ratio.js";
import type { Records } from "./records.js";
import type { CompiledScale } from "./scale.js";

/**
 * A boolean for a boolean question; for one of type integer or number, a bigint, or a number, which is taken for its
 * shortest decimal text: 0.1 is a tenth; a list of such numbers, or an array of floats, for one of type vector; else a text.
 */
export type DeviceRecord = boolean | string | number | bigint | Vector;

/** All coordinates of a vector, in their order. */
export type Vector = readonly (number | bigint)[] | Float32Array | Float64Array;

/** Keys with their numbers, each a bigint, or a number, which is taken for its shortest decimal text. */
export type Pairs = Readonly<Record<string, number | bigint>> | ReadonlyMap<string, number | bigint>;

/** What is one value of a question: a record; or one for each field, by name. */
type Single = DeviceRecord | { readonly [field: string]: DeviceRecord };

/**
 * A record; all that a device has, where the survey says what is made of many; one for each field, by name; several of a
 * question's values; or keys with their numbers.
 */
export type Answer = Single | readonly DeviceRecord[] | ReadonlySet<string> | Pairs;

/** The parts of this client that a survey needs: mechanisms, types of answers, and `records` for `per_device`. */
export interface Parts {
  readonly mechanisms: readonly Mechanism[];
  readonly answers: readonly AnswerType[];
  readonly records?: Records;
}

/** Of one report, as in a survey file: an epsilon of 40. */
const MOST = bound("40");

export class Survey {
  readonly name: string;
  readonly fingerprint: string;
  readonly terms: string;
  /** The length of its epochs in seconds; undefined if it has none. */
  readonly epoch: number | undefined;
  readonly questions: readonly Question[];
  /** The names of those that are answered together. */
  readonly groups: readonly (readonly string[])[];
  /** The ratio that everything a device ever sends may come to; undefined if only the questions set limits. */
  readonly lifetime: Ratio | undefined;
  /** What reports say openly of a device. */
  readonly attributes: readonly Attribute[];

  constructor(compiled: CompiledSurvey, parts: Parts) {
    this.name = compiled.name;
    this.fingerprint = compiled.fingerprint;
    this.terms = compiled.terms;
    this.epoch = compiled.epoch;
    this.groups = compiled.groups;
    this.attributes = compiled.attributes ?? [];
    const together = new Set(compiled.groups.flat());
    const draws = drawsByName(compiled.draws ?? [], new Set(compiled.questions.map(({ name }) => name)));
    this.questions = compiled.questions.map(
      (question) => new Question(question, parts, together.has(question.name), draws.get(question.name)),
    );
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
  /** The parts of an answer, of type table or place: what they are called, what people are asked, what to choose from. */
  readonly fields: readonly CompiledChoices[] | undefined;
  /** Of a question of type vector: how many numbers it has, and how long it may be. */
  readonly ball: CompiledBall | undefined;
  /** What is made of a device's records; undefined where it has one. */
  readonly perDevice: PerDevice | undefined;
  /** Where values are leaves of a tree: the node above each, and above each node that has any, for menus. */
  readonly parents: ReadonlyMap<string, string> | undefined;
  readonly mechanism: string;
  readonly fingerprint: string;
  /** How often the price of the question may be charged. */
  readonly charges: number;
  readonly #randomizer: Randomizer | undefined;
  readonly #reader: Reader | undefined;
  #price: Ratio | undefined;

  /** `draw` is the group of which a device answers one question; undefined where it answers this one. */
  constructor(compiled: CompiledQuestion, parts: Parts, readonly inGroup: boolean, readonly draw?: Draw) {
    this.name = compiled.name;
    this.text = compiled.text;
    this.type = compiled.type;
    this.values = compiled.values;
    this.scale = compiled.scale;
    this.fields = compiled.fields;
    this.ball = compiled.ball;
    this.perDevice = compiled.per_device;
    this.parents = compiled.parents;
    this.mechanism = compiled.mechanism;
    this.fingerprint = compiled.fingerprint;
    this.charges = compiled.charges;
    const place = `question ${compiled.name}`;
    expectFitting(compiled, place);
    const randomizer = randomizerOf(parts.mechanisms, compiled.mechanism, compiled.integers, place);
    if (randomizer && !within(randomizer.ratio, MOST)) {
      throw new SurveyError(`${place}: expected an epsilon of 40 or less`);
    }
    this.#randomizer = randomizer;
    this.#reader = readerOf(compiled, parts, randomizer);
    if (draw && (inGroup || this.#memoizes)) {
      throw new SurveyError(`${place}: expected a question of a draw to be in no group, and to keep no permanent response`);
    }
    const size = this.#reader ? this.#reader.size : this.values?.length;
    if (randomizer && randomizer.takes !== "texts" && randomizer.size !== size) {
      throw new SurveyError(`${place}: expected ${randomizer.size} values`);
    }
  }

  /** What makes the reports. Throws `AnswerError` if this client cannot. */
  get randomizer(): Randomizer {
    if (!this.#randomizer) throw new AnswerError(`question ${this.name}: this client has no mechanism ${this.mechanism}`);
    return this.#randomizer;
  }

  /** The question, if it is answered by itself. Throws `AnswerError` for one of a group. */
  get alone(): this {
    if (this.inGroup) throw new AnswerError(`question ${this.name} is answered together with others, by recordTogether`);
    return this;
  }

  /** Whether this client can answer it. */
  get answerable(): boolean {
    return this.#randomizer !== undefined && this.#fits;
  }

  /** The ratio that one charge stands for: everything ever sent about one value, or the one report. */
  get price(): Ratio {
    const { randomizer } = this;
    this.#price ??= isMemoized(randomizer) ? randomizer.lifetimeRatio : randomizer.ratio;
    return this.#price;
  }

  /**
   * What the randomizer takes for an answer. A number between two points of its scale is rounded to one of them, at
   * random: eight bytes are drawn for that whatever the answer is; and sixteen before, where one of a device's records is
   * taken. Throws `AnswerError`, which does not repeat the answer.
   */
  value(answer: Answer, random: Random = system): Value {
    if (!this.#reader || !this.#fits) {
      throw new AnswerError(`question ${this.name}: this client has no type ${this.type} for ${this.mechanism}`);
    }
    const value = this.#reader.value(answer, random);
    // Where texts are hashed, values are told by theirs.
    return this.#randomizer?.takes === "texts" && typeof value === "number" ? utf8(this.values![value]!) : value;
  }

  get #memoizes(): boolean {
    return this.#randomizer !== undefined && isMemoized(this.#randomizer);
  }

  /** Whether its reader gives what its randomizer takes. Texts of points and cells are not hashed here. */
  get #fits(): boolean {
    if (!this.#reader) return false;
    const takes = this.#randomizer?.takes ?? "values";
    const isListed = this.#reader.gives === "values" && this.values !== null;
    return takes === this.#reader.gives || (takes === "texts" && isListed);
  }
}

/** What reads the answers to a question; undefined if it takes a part that is not there. */
function readerOf(compiled: CompiledQuestion, parts: Parts, randomizer: Randomizer | undefined): Reader | undefined {
  const typed = (type: string) => parts.answers.find(([types]) => types.includes(type))?.[1];
  const part = (field: CompiledChoices, name: string): Reader => {
    const reader = typed(field.type);
    if (!reader) throw new SurveyError(`question ${name}: expected a type of field that this client has`);
    return reader({ ...field, name, randomizer: undefined, part });
  };
  const asked: Asked = { ...compiled, randomizer, part };
  const one = typed(compiled.type)?.(asked);
  if (!one || !compiled.per_device) return one;
  return parts.records?.(asked, one);
}

/** Throws `SurveyError` where a question has what its type has no use for, or lacks what it needs. */
function expectFitting({ type, values, scale, ball, fields }: CompiledQuestion, place: string): void {
  const [isPairs, isVector] = [type === "key-value", type === "vector"];
  const isScaled = scale !== undefined;
  if ((type === "number" || isPairs) !== isScaled || (isScaled && (values !== null) !== isPairs)) {
    throw new SurveyError(`${place}: expected a scale for type number, in place of values, or for type key-value`);
  }
  if (isVector !== (ball !== undefined) || (isVector && values)) {
    throw new SurveyError(`${place}: expected a ball for type vector, and only there, in place of values`);
  }
  if ((type === "table" || type === "place") !== (fields !== undefined)) {
    throw new SurveyError(`${place}: expected fields for type table or place, and only there`);
  }
}
