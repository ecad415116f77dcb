/** Surveys, as a device knows them: read from their compiled form, and checked against their own fingerprints. */

import { Ball, type CompiledBall } from "./ball.js";
import { toInteger, utf8 } from "./bytes.js";
import { readJSON } from "./checks.js";
import { COMPILED, type CompiledChoices, type CompiledQuestion, type CompiledSurvey } from "./compiled.js";
import { AnswerError, SurveyError } from "./errors.js";
import { type PerDevice, type Placed, ROUNDING_BITS, chosen } from "./contributions.js";
import { type Draw, drawsByName } from "./draws.js";
import { type Fraction, divided, dividedBy, exactly, less, plus } from "./fraction.js";
import { questionFingerprint, surveyFingerprint, termsDigest } from "./fingerprint.js";
import { type AnyRandomizer, randomizerOf } from "./mechanisms.js";
import { PaddedResponse } from "./pad.js";
import { Rappor } from "./rappor.js";
import { type Random, bytesFrom, system } from "./randomness.js";
import type { Value } from "./randomizer.js";
import { type Ratio, bound } from "./ratio.js";
import { type CompiledScale, Scale } from "./scale.js";
import { SubsetsResponse } from "./subsets.js";

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
 * A record; all that a device has, where the survey says what is made of many; one for each field, by name; or keys
 * with their numbers.
 */
export type Answer = Single | readonly DeviceRecord[] | Pairs;

const LONGEST_TEXT = 4096;
const OF_FIELDS = new Set(["boolean", "category", "integer", "number"]);
/** Types whose answers have several parts. */
const OF_PARTS = new Set(["table", "place"]);
const TYPES = new Set([...OF_FIELDS, ...OF_PARTS, "vector", "text"]);
/** Of questions about keys that numbers come with. */
const PAIRS = "key-value";
/** Signed items of a key: it comes with the lower end of the range of its numbers, or with the upper one. */
const ENDS = 2;
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
  /** The names of those that are answered together. */
  readonly groups: readonly (readonly string[])[];
  /** The ratio that everything a device ever sends may come to; undefined if only the questions set limits. */
  readonly lifetime: Ratio | undefined;

  constructor(compiled: CompiledSurvey) {
    this.name = compiled.name;
    this.fingerprint = compiled.fingerprint;
    this.terms = compiled.terms;
    this.epoch = compiled.epoch;
    this.groups = compiled.groups;
    const together = new Set(compiled.groups.flat());
    const draws = drawsByName(compiled.draws ?? [], new Set(compiled.questions.map(({ name }) => name)));
    this.questions = compiled.questions.map(
      (question) => new Question(question, together.has(question.name), draws.get(question.name)),
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
  readonly #randomizer: AnyRandomizer | undefined;
  readonly #scale: Scale | undefined;
  readonly #ball: Ball | undefined;
  /** How many values it has, or numbers a vector; undefined where it takes any text. */
  readonly #size: number | undefined;
  /** The parts of an answer, each as a question of its own, which makes no reports. */
  readonly #fields: readonly Question[] | undefined;
  #price: Ratio | undefined;

  /** `draw` is the group of which a device answers one question; undefined where it answers this one. */
  constructor(compiled: CompiledQuestion, readonly inGroup: boolean, readonly draw?: Draw) {
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
    const [isNumber, isPairs] = [compiled.type === "number", compiled.type === PAIRS];
    const scaled = compiled.scale !== undefined;
    if ((isNumber || isPairs) !== scaled || (scaled && (compiled.values !== null) !== isPairs)) {
      throw new SurveyError(`${place}: expected a scale for type number, in place of values, or for type key-value`);
    }
    const isVector = compiled.type === "vector";
    if (isVector !== (compiled.ball !== undefined) || (isVector && compiled.values)) {
      throw new SurveyError(`${place}: expected a ball for type vector, and only there, in place of values`);
    }
    this.#scale = compiled.scale && new Scale(compiled.scale, place);
    if (isPairs && !(this.#scale?.hasPoints && this.#scale.size === ENDS && !compiled.per_device)) {
      throw new SurveyError(`${place}: expected a scale of two points for the numbers of keys, and one answer a device`);
    }
    this.#ball = compiled.ball && new Ball(compiled.ball, place);
    this.#randomizer = randomizerOf(compiled.mechanism, compiled.integers, place);
    this.#fields = compiled.fields?.map((field) => fieldOf(field, compiled));
    if (OF_PARTS.has(compiled.type) !== (this.#fields !== undefined)) {
      throw new SurveyError(`${place}: expected fields for type table or place, and only there`);
    }
    const cells = this.#fields?.reduce((product, field) => product * (field.#size ?? 0), 1);
    const items = isPairs ? ENDS * this.values!.length : undefined;
    this.#size = items ?? cells ?? this.#ball?.dimensions ?? this.#scale?.size ?? this.values?.length;
    if (draw && (inGroup || (this.#randomizer instanceof Rappor && this.#randomizer.memoizes))) {
      throw new SurveyError(`${place}: expected a question of a draw to be in no group, and to keep no permanent response`);
    }
    const told = this.#randomizer instanceof SubsetsResponse ? this.#randomizer.sizes.join() : undefined;
    if (told !== undefined && told !== this.#fields?.map((field) => field.#size).join()) {
      throw new SurveyError(`${place}: expected fields with ${told} values`);
    }
    if (this.#randomizer && !this.#takesText && this.#randomizer.size !== this.#size) {
      throw new SurveyError(`${place}: expected ${this.#randomizer.size} values`);
    }
  }

  /** What makes the reports. Throws `AnswerError` if this client cannot. */
  get randomizer(): AnyRandomizer {
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
    return this.#randomizer !== undefined && this.#takesType;
  }

  /** The ratio that one charge stands for: everything ever sent about one value, or the one report. */
  get price(): Ratio {
    const { randomizer } = this;
    this.#price ??= randomizer instanceof Rappor && randomizer.memoizes ? randomizer.lifetimeRatio : randomizer.ratio;
    return this.#price;
  }

  /**
   * What the randomizer takes for an answer. A number between two points of its scale is rounded to one of them, at
   * random: eight bytes are drawn for that whatever the answer is; and sixteen before, where one of a device's records is
   * taken. Throws `AnswerError`, which does not repeat the answer.
   */
  value(answer: Answer, random: Random = system): Value {
    if (!this.#takesType) {
      throw new AnswerError(`question ${this.name}: this client has no type ${this.type} for ${this.mechanism}`);
    }
    if (this.#isPairs) return this.#items(answer, random);
    const places = this.#places(answer as Single | readonly DeviceRecord[]);
    const { value, rest } = this.perDevice === "one" ? chosen(places, random) : places[0]!;
    if (!this.#rounds) return value;
    // Only numbers have points, which are told by their places.
    return (value as number) + Number(toInteger(bytesFrom(random, ROUNDING_BYTES)) < rest);
  }

  /**
   * The signed items of an answer of keys with numbers, in ascending order. One draw rounds all numbers, as one of them is
   * reported at most.
   */
  #items(answer: Answer, random: Random): number[] {
    const pairs = pairsOf(answer);
    if (!pairs) throw this.#unfit("an object or a map of keys with numbers");
    const keys = pairs.map(([key]) => this.values!.indexOf(key));
    if (keys.includes(-1)) throw this.#unfit(`keys that are some of ${this.values!.length}`);
    if (pairs.length > this.#most) throw this.#unfit(`at most ${this.#most} keys`);
    const places = pairs.map(([, number]) => this.#scale!.placed(this.#within(this.#number(number))));
    const drawn = toInteger(bytesFrom(random, ROUNDING_BYTES));
    const items = places.map(({ value, rest }, at) => ENDS * keys[at]! + (value as number) + Number(drawn < rest));
    return items.sort((one, other) => one - other);
  }

  /** How many keys a device may hold. */
  get #most(): number {
    return this.#randomizer instanceof PaddedResponse ? this.#randomizer.most : 0;
  }

  /** The place of an answer; of several records of which one is drawn, that of each. */
  #places(answer: Single | readonly DeviceRecord[]): Placed[] {
    const places = this.perDevice ? this.#ofRecords(answer, this.perDevice) : [this.#placed(answer)];
    if (!this.#rounds && places.some(({ rest }) => rest)) throw this.#unfit("a number on its scale, got one between two points");
    return places;
  }

  #ofRecords(answer: Single | readonly DeviceRecord[], perDevice: PerDevice): Placed[] {
    if (!Array.isArray(answer)) throw this.#unfit("a list of all that the device has");
    const records: readonly unknown[] = answer;
    if (!records.length) throw this.#unfit("at least one record, got none: record no answer then");
    if (perDevice === "one") return records.map((record) => this.#placed(record));
    if (perDevice === "last") return [this.#placed(records.at(-1))];
    const numbers = records.map((record) => this.#number(record));
    const total = (parts: readonly Fraction[]): Fraction => parts.reduce(plus);
    if (perDevice === "sum") return [this.#onLine(this.#within(total(numbers)))];
    return [this.#onLine(dividedBy(total(numbers.map((number) => this.#within(number))), BigInt(records.length)))];
  }

  /** The exact number that a record is, wherever it lies. */
  #number(record: unknown): Fraction {
    const number = exactly(record);
    const whole = typeof record === "bigint" || Number.isInteger(record);
    if (!number || (!this.#scale && !whole)) throw this.#unfit(this.#scale ? "a number" : "a whole number");
    return number;
  }

  /** A number of the range: itself, or what stands in for it. */
  #within(number: Fraction): Fraction {
    if (this.#scale) {
      const inside = this.#scale.within(number);
      if (!inside) throw this.#unfit("a number on its scale, got one outside");
      return inside;
    }
    const [low, high] = [this.values!.at(0)!, this.values!.at(-1)!];
    if (less(number, [BigInt(low), 1n]) || less([BigInt(high), 1n], number)) throw this.#unfitWhole();
    return number;
  }

  /** The place of a number of the range. */
  #onLine(number: Fraction): Placed {
    if (this.#scale) return this.#scale.placed(number);
    const [place, rest] = divided(plus(number, [-BigInt(this.values![0]!), 1n]), [1n, 1n], ROUNDING_BITS);
    return { value: this.#numberOrText(Number(place)), rest };
  }

  /** The place of one record. */
  #placed(record: unknown): Placed {
    if (this.#scale) return this.#onLine(this.#within(this.#number(record)));
    return { value: this.#ball ? this.#vector(record, this.#ball) : this.#plain(record), rest: 0n };
  }

  /** The whole numbers of a record that is a vector, as bytes. */
  #vector(record: unknown, ball: Ball): Value {
    const listed = Array.isArray(record) || record instanceof Float32Array || record instanceof Float64Array;
    const numbers = listed ? Array.from(record as ArrayLike<unknown>, exactly) : [];
    const exact = numbers.filter((number) => number !== undefined);
    if (exact.length !== ball.dimensions || numbers.length !== exact.length) {
      throw this.#unfit(`a list of ${ball.dimensions} numbers`);
    }
    const value = ball.value(exact);
    if (!value) throw this.#unfit("a vector no longer than its radius, got a longer one");
    return value;
  }

  /** The value of each field in an answer, which has a record for each. A place may be a pair. */
  #ofFields(answer: unknown, fields: readonly Question[]): number[] {
    const names = this.fields!.map(({ name }) => name);
    if (this.type === "place" && Array.isArray(answer) && answer.length === fields.length) {
      return this.#ofFields(Object.fromEntries(names.map((name, index) => [name, answer[index]])), fields);
    }
    const isByName = typeof answer === "object" && answer !== null && !Array.isArray(answer);
    const given = isByName ? Object.keys(answer) : [];
    if (given.length !== names.length || !names.every((name) => given.includes(name))) {
      throw this.#unfit(`an answer for each of the fields ${names.join(", ")}, by name`);
    }
    const records = answer as { readonly [field: string]: DeviceRecord };
    return fields.map((field, index) => field.value(records[names[index]!]!) as number);
  }

  /** What the randomizer takes for a record that is no number of a scale. */
  #plain(record: unknown): Value {
    const { values } = this;
    if (this.#fields) {
      const own = this.#ofFields(record, this.#fields);
      if (this.#randomizer instanceof SubsetsResponse) return own;
      // The cell of the table in which the answer lies.
      return own.reduce((cell, value, index) => cell * this.#fields![index]!.#size! + value, 0);
    }
    if (this.type === "boolean") {
      if (typeof record !== "boolean") throw this.#unfit("true or false");
      return this.#numberOrText(Number(record));
    }
    if (this.type === "integer" && values) {
      const index = Number.isInteger(record) || typeof record === "bigint" ? values.indexOf(String(record)) : -1;
      if (index < 0) throw this.#unfitWhole();
      return this.#numberOrText(index);
    }
    if (typeof record !== "string") throw this.#unfit("a text");
    if (this.type === "category" && values) {
      const index = values.indexOf(record);
      if (index < 0) throw this.#unfit(`one of ${values.length} values`);
      return this.#numberOrText(index);
    }
    const encoded = utf8(record);
    if (!encoded.length || encoded.length > LONGEST_TEXT || /\p{Surrogate}/u.test(record)) {
      throw this.#unfit(`a text of 1 to ${LONGEST_TEXT} bytes in UTF-8`);
    }
    return encoded;
  }

  /** Whether what lies between two points is rounded: not where a permanent response is kept for a point. */
  get #rounds(): boolean {
    const hasBetween = this.#scale ? this.#scale.hasPoints : this.type === "integer" && this.perDevice === "mean";
    return hasBetween && !(this.#randomizer instanceof Rappor && this.#randomizer.memoizes);
  }

  /** Whether this is about keys that numbers come with. */
  get #isPairs(): boolean {
    return this.type === PAIRS;
  }

  /** Whether texts are hashed: then values are told by their texts too. */
  get #takesText(): boolean {
    return this.#randomizer instanceof Rappor && this.#randomizer.integers.hashes > 0;
  }

  /** Texts of points and cells are not hashed here. */
  get #takesType(): boolean {
    const isPadded = this.#randomizer instanceof PaddedResponse;
    if (this.#isPairs || isPadded) return this.#isPairs && isPadded;
    return TYPES.has(this.type) && !((this.#scale || this.#fields) && this.#takesText);
  }

  #numberOrText(index: number): Value {
    return this.#takesText ? utf8(this.values![index]!) : index;
  }

  #unfitWhole(): AnswerError {
    return this.#unfit(`a whole number from ${this.values!.at(0)} to ${this.values!.at(-1)}`);
  }

  #unfit(expected: string): AnswerError {
    return new AnswerError(`question ${this.name}: expected ${expected}`);
  }
}

/** A field of a question, as a question of its own. */
function fieldOf(field: CompiledChoices, { name }: CompiledQuestion): Question {
  const place = `${name}.${field.name}`;
  const isListed = field.scale ? field.scale.edges !== undefined : field.values !== null;
  if (!OF_FIELDS.has(field.type) || !isListed) throw new SurveyError(`question ${place}: expected a field with values or cells`);
  const alone = { fields: undefined, ball: undefined, per_device: undefined, circular: undefined, parents: undefined };
  const bare = { mechanism: "", integers: new Map<string, string>(), charges: 1, fingerprint: "" };
  return new Question({ ...field, ...alone, ...bare, name: place }, false);
}

/** The pairs of an object or a map; undefined for anything else. */
function pairsOf(answer: unknown): [string, unknown][] | undefined {
  if (answer instanceof Map) return [...answer];
  if (typeof answer !== "object" || answer === null) return undefined;
  // Of a class, or a list, the entries are not what was meant.
  const made = Object.getPrototypeOf(answer);
  return made === Object.prototype || made === null ? Object.entries(answer) : undefined;
}

function expectSame(found: string, expected: string, what: string): void {
  if (found !== expected) throw new SurveyError(`expected ${what} to be ${expected}, got ${found}`);
}
