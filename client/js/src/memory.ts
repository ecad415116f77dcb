/**
 * What a device remembers of a person's answers, so that it never gives fresh noise on one that it randomized before.
 *
 * All surveys share one text in the storage. For each survey and collector it has a secret, what the survey may spend,
 * and for each question (by fingerprint) the charges set aside, the cohort, and the permanent responses under keyed
 * hashes of the answers. Two collectors therefore never see one permanent response or cohort, whatever they ask. No
 * answer is stored; but anyone who holds the state holds the secrets too, and can test guesses against the keys.
 */

import { type Limit, affordable, askedFor, chargeable, usualCap } from "./budget.js";
import { type Bytes, concat, fromHex, hex, toBytes, utf8 } from "./bytes.js";
import { type Check, absentOr, bytesAsHex, constant, decimal, integerFrom, mapOf, optional, readJSON, record, text, textLike } from "./checks.js";
import { drawn, written as writtenDraw } from "./draws.js";
import { StateError } from "./errors.js";
import { type Random, bytesFrom } from "./randomness.js";
import type { Cohort, Value } from "./randomizer.js";
import { RATIO, type Ratio, power, product, read, smaller, written } from "./ratio.js";
import type { Storage } from "./storage.js";
import type { Question, Survey } from "./survey.js";

/** The key of the state in its storage. */
export const STATE_KEY = "ldp";

const SECRET_SIZE = 32;
const KEY_SIZE = 16;
const NOTHING: Ratio = [1n, 1n];

/** Of a question that was answered. */
interface Asked {
  readonly price: string;
  readonly charges: number;
  readonly cohort: Cohort;
  /** The key of the response that was reported last. */
  last: string | null;
  readonly responses: Map<string, string>;
}

/** Of a survey of a collector. */
interface Remembered {
  secret: string | null;
  limit: string;
  readonly questions: Map<string, Asked>;
  /** Which questions of each draw the device answers, a line each, by what fingerprints cover of the draw. */
  draws?: Map<string, string> | undefined;
}

interface State {
  readonly format: 1;
  /** What all surveys may spend together, where the app does not say. */
  readonly cap: string;
  readonly surveys: Map<string, Remembered>;
}

const KEY = bytesAsHex(KEY_SIZE);

const ratio = textLike(RATIO, "a ratio");

const COHORT: Check<Cohort> = (found, place) => (typeof found === "string" ? decimal : integerFrom(0))(found, place);

const STATE: Check<State> = record<State>({
  format: constant(1),
  cap: ratio,
  surveys: mapOf(
    record<Remembered>({
      secret: optional(bytesAsHex(SECRET_SIZE)),
      limit: ratio,
      questions: mapOf(
        record<Asked>({
          price: ratio,
          charges: integerFrom(1),
          cohort: COHORT,
          last: optional(KEY),
          responses: mapOf(textLike(/^([0-9a-f]{2})+$/, "bytes as hexadecimal text")),
        }),
      ),
      draws: absentOr(mapOf(text)),
    }),
  ),
});

/** The memory of a survey of a collector. The caller that changes it holds the storage, and keeps it before anything is sent. */
export class Memory {
  private constructor(
    readonly survey: Survey, readonly collector: string, private readonly cap: Ratio,
    private readonly storage: Storage, private readonly state: State, private readonly own: Remembered,
  ) {}

  /** What a storage holds; `cap` is the most that all surveys in it may spend together, where the app says so. */
  static async open(survey: Survey, collector: string, cap: Ratio | undefined, storage: Storage): Promise<Memory> {
    const { lifetime, questions } = survey;
    // Not what it merely says that it might: a survey could say anything.
    const charges = askedFor(undefined, NOTHING, questions);
    const asked = lifetime ? smaller(charges, lifetime) : charges;
    const text = await accessed(() => storage.get(STATE_KEY));
    const fresh: State = { format: 1, cap: written(usualCap(asked)), surveys: new Map() };
    const state = text === null ? fresh : readJSON(text, STATE, STATE_KEY, StateError);
    const name = JSON.stringify([collector, survey.name]);
    const own = state.surveys.get(name) ?? { secret: null, limit: written(asked), questions: new Map<string, Asked>() };
    if (lifetime) own.limit = written(smaller(lifetime, read(own.limit)));
    state.surveys.set(name, own);
    return new Memory(survey, collector, cap ?? read(state.cap), storage, state, own);
  }

  async keep(): Promise<void> {
    const plain = (_: string, part: unknown): unknown => (part instanceof Map ? Object.fromEntries(part) : part);
    await accessed(() => this.storage.set(STATE_KEY, JSON.stringify(this.state, plain)));
  }

  /** From now on the survey may spend what this version of it asks for. */
  agree(): void {
    this.own.limit = written(askedFor(this.survey.lifetime, spent(this.own), this.unanswered()));
  }

  answered(question: Question): boolean {
    return this.own.questions.has(question.fingerprint);
  }

  /** Set aside all that a question may ever cost, when it is answered first. Throws `BudgetError` if that is too much. */
  setAside(question: Question, cohort: Cohort = 0): void {
    const charges = affordable(question, this.unanswered(question), this.limits);
    const asked = { price: written(question.price), charges, cohort, last: null, responses: new Map() };
    this.own.questions.set(question.fingerprint, asked);
  }

  /** Whether the device answers a question: it is drawn now, if that was not done. */
  drawn(question: Question, random: Random): boolean {
    const { draw } = question;
    if (!draw) return true;
    const draws = (this.own.draws ??= new Map<string, string>());
    const key = writtenDraw(draw);
    if (!draws.has(key)) draws.set(key, drawn(draw, random).join("\n"));
    return draws.get(key)!.split("\n").includes(question.name);
  }

  /** The device's cohort for a question that was answered. */
  cohort(question: Question): Cohort {
    return this.asked(question).cohort;
  }

  /** The key under which the permanent response to a value is kept. */
  async memoKey(question: Question, value: Value, random: Random): Promise<string> {
    this.own.secret ??= hex(bytesFrom(random, SECRET_SIZE));
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const secret = await crypto.subtle.importKey("raw", fromHex(this.own.secret), algorithm, false, ["sign"]);
    const told = value instanceof Uint8Array ? value : toBytes(BigInt(Number(value)), 4);
    const collector = utf8(this.collector);
    const whose = [toBytes(BigInt(collector.length), 4), collector, fromHex(question.fingerprint)];
    const cohort = this.cohort(question);
    const message = concat([...whose, toBytes(BigInt(cohort), typeof cohort === "string" ? 8 : 2), told]);
    return hex(new Uint8Array(await crypto.subtle.sign("HMAC", secret, message)).subarray(0, KEY_SIZE));
  }

  /** The permanent response to report: under this key, or the last one if no charge is left; undefined to draw one. */
  recall(question: Question, key: string): Bytes | undefined {
    const asked = this.asked(question);
    const { responses, charges } = asked;
    if (responses.has(key)) asked.last = key;
    else if (responses.size < charges) return undefined;
    const response = responses.get(asked.last ?? "");
    if (response === undefined) throw new StateError(`${STATE_KEY}: expected the response that was reported last`);
    return fromHex(response);
  }

  keepResponse(question: Question, key: string, response: Bytes): void {
    const asked = this.asked(question);
    asked.responses.set(key, hex(response));
    asked.last = key;
  }

  private asked(question: Question): Asked {
    return this.own.questions.get(question.fingerprint)!;
  }

  /** Those that may still be charged for, beside one: of a draw, as many as are left of it. */
  private unanswered(beside?: Question): readonly Question[] {
    const answered = this.survey.questions.filter((question) => question === beside || this.answered(question));
    const others = this.survey.questions.filter((question) => !answered.includes(question) && question.answerable);
    return chargeable(others, answered);
  }

  private get limits(): Limit[] {
    const all = [...this.state.surveys];
    const named = all.filter(([key]) => (JSON.parse(key) as string[])[1] === this.survey.name);
    const total = (some: typeof all): Ratio => product(some.map(([, one]) => spent(one)));
    return [
      { most: read(this.own.limit), spent: spent(this.own) },
      { most: this.survey.lifetime ?? this.cap, spent: total(named) },
      { most: this.cap, spent: total(all) },
    ];
  }
}

function spent({ questions }: Remembered): Ratio {
  return product([...questions.values()].map(({ price, charges }) => power(read(price), charges)));
}

/** What a storage answers; whatever it throws becomes a `StateError`. */
async function accessed<T>(access: () => T | Promise<T>): Promise<T> {
  try {
    return await access();
  } catch (error) {
    throw new StateError(`the storage failed (${error instanceof Error ? error.name : typeof error})`);
  }
}
