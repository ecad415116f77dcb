/**
 * What a device remembers of a person's answers to a survey, so that it never gives fresh noise on one that it
 * randomized before: a secret, and for each question (by fingerprint) what was charged, the cohort, and the permanent
 * responses under keyed hashes of the answers. No answer is stored; but whoever holds the state holds the secret too,
 * and can test guesses against the keys.
 */

import { type Bytes, concat, fromHex, hex, toBytes } from "./bytes.js";
import { type Check, bytesAsHex, constant, count, mapOf, optional, readJSON, record, textLike } from "./checks.js";
import { BudgetError, StateError } from "./errors.js";
import { type Random, bytesFrom } from "./randomness.js";
import type { Rappor } from "./rappor.js";
import type { Value } from "./randomizer.js";
import { RATIO, power, product, read, within, written } from "./ratio.js";
import type { Storage } from "./storage.js";
import type { Question, Survey } from "./survey.js";

const SECRET_SIZE = 32;
const KEY_SIZE = 16;

interface Kept {
  readonly price: string;
  charges: number;
  cohort: number | null;
  readonly responses: Map<string, string>;
}

interface State {
  readonly format: 1;
  secret: string | null;
  readonly questions: Map<string, Kept>;
}

const STATE: Check<State> = record<State>({
  format: constant(1),
  secret: optional(bytesAsHex(SECRET_SIZE)),
  questions: mapOf(
    record<Kept>({
      price: textLike(RATIO, "a ratio"),
      charges: count,
      cohort: optional(count),
      responses: mapOf(textLike(/^([0-9a-f]{2})+$/, "bytes as hexadecimal text")),
    }),
  ),
});

/** The memory of one survey. Whoever changes it holds the storage exclusively, and keeps it before anything is sent. */
export class Memory {
  private constructor(
    readonly survey: Survey, readonly storage: Storage, readonly key: string, private readonly state: State,
  ) {}

  static key(survey: Survey): string {
    return `ldp/${survey.name}`;
  }

  static async open(survey: Survey, storage: Storage): Promise<Memory> {
    const key = Memory.key(survey);
    const text = await accessed(() => storage.get(key));
    const fresh: State = { format: 1, secret: null, questions: new Map() };
    return new Memory(survey, storage, key, text === null ? fresh : readJSON(text, STATE, key, StateError));
  }

  async keep(): Promise<void> {
    const plain = (_: string, part: unknown): unknown => (part instanceof Map ? Object.fromEntries(part) : part);
    await accessed(() => this.storage.set(this.key, JSON.stringify(this.state, plain)));
  }

  answered(question: Question): boolean {
    return this.of(question).charges > 0;
  }

  /** Spend the price of a question. Throws `BudgetError` if that is more than the survey lets a device spend. */
  charge(question: Question): void {
    if (!this.affordable(question)) {
      throw new BudgetError(`question ${question.name} costs more than is left of the survey's lifetime epsilon`);
    }
    this.of(question).charges += 1;
  }

  affordable(question: Question): boolean {
    const { lifetime } = this.survey;
    const spent = [...this.state.questions.values()].map(({ price, charges }) => power(read(price), BigInt(charges)));
    return lifetime === undefined || within(product([...spent, question.price]), lifetime);
  }

  /** The cohort of the device, drawn when it is asked for first. */
  cohort(question: Question, rappor: Rappor, random: Random): number {
    return (this.of(question).cohort ??= rappor.drawCohort(random));
  }

  /** The key under which the permanent response to a value is kept. */
  async memoKey(question: Question, cohort: number, value: Value, random: Random): Promise<string> {
    this.state.secret ??= hex(bytesFrom(random, SECRET_SIZE));
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const secret = await crypto.subtle.importKey("raw", fromHex(this.state.secret), algorithm, false, ["sign"]);
    const told = value instanceof Uint8Array ? value : toBytes(BigInt(value), 4);
    const message = concat([fromHex(question.fingerprint), toBytes(BigInt(cohort), 2), told]);
    return hex(new Uint8Array(await crypto.subtle.sign("HMAC", secret, message)).subarray(0, KEY_SIZE));
  }

  permanent(question: Question, key: string): Bytes | undefined {
    const kept = this.of(question).responses.get(key);
    return kept === undefined ? undefined : fromHex(kept);
  }

  keepPermanent(question: Question, key: string, response: Bytes): void {
    this.of(question).responses.set(key, hex(response));
  }

  /** How many permanent responses to a question are kept, one of them left out. */
  kept(question: Question, apartFrom: string): number {
    return [...this.of(question).responses.keys()].filter((key) => key !== apartFrom).length;
  }

  private of(question: Question): Kept {
    const { questions } = this.state;
    const kept = questions.get(question.fingerprint) ?? {
      price: written(question.price), charges: 0, cohort: null, responses: new Map<string, string>(),
    };
    questions.set(question.fingerprint, kept);
    return kept;
  }
}

/** What a storage answers; whatever it throws becomes a `StateError`. */
async function accessed<T>(access: () => T | Promise<T>): Promise<T> {
  try {
    return await access();
  } catch (error) {
    throw new StateError(`the storage failed (${error instanceof Error ? error.name : typeof error})`);
  }
}
