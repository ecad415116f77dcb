/**
 * The queue: randomized reports that wait to be sent (`client/ldp_client/outbox.py`), and when that may be.
 *
 * - A survey has a queue of its own for each collector: none gets what was meant for another, or waits for its pause.
 * - A report is kept under a random number: neither the hour nor the order of answers can be read off. What leaves together
 *   is put in the order of these numbers. A batch holds reports of one question, of whose devices the same is said.
 * - A batch is made when it is taken: its id is drawn once (or made from the mark of a report that is made once, which travels
 *   alone: after a rollback it is the same) and its bytes are kept until it is decided about, so that every
 *   attempt sends the same. The failure is written down before the attempt, in the same transaction: what never comes
 *   back from one (a page that was closed, a collector that never answers) has failed.
 * - Times are kept with the moment at which they were set. A clock that went back behind that, or a time that lies further
 *   ahead than anything is ever set, makes them void. Reports age by days on which the device was in use, as the client
 *   saw them: no jump of a clock makes any of them too old.
 * - The queue is bounded by count, bytes and age; the oldest go first. A tally says whether there is anything to drop, so that a
 *   report that is put there need not read those that wait.
 */

import { fromHex, hex } from "./bytes.js";
import type { Bytes } from "./bytes.js";
import { type Random, bytesFrom } from "./randomness.js";
import { type Report, batchOf, together } from "./reports.js";
import type { Entry, Records } from "./store.js";
import { marked } from "./tapes.js";
import { encodeBatch, encodeFrame } from "./wire.js";

/** How much may wait, for how many days of use, and how many reports travel together at most. */
export interface QueueLimits {
  readonly reports: number;
  readonly bytes: number;
  readonly days: number;
  readonly batch: number;
}

export const USUAL_LIMITS: QueueLimits = { reports: 10_000, bytes: 4 << 20, days: 30, batch: 1000 };

/** Seconds; whatever a collector or a clock says. */
export const LONGEST_PAUSE = 86_400;

/** When the last attempt began (in milliseconds), what became of it and why, and how many failed in a row. */
export interface Attempt {
  readonly at: number;
  readonly outcome: string;
  readonly reason: string;
  readonly failures: number;
}

/** Reports that were dropped, by reason. */
export type Dropped = ReadonlyMap<string, number>;

type Tally = readonly [count: number, size: number, oldest: number];
type Loss = "too-old" | "queue-full" | "damaged" | "forgotten";

const DAY = 86_400_000;
/** The last day that was seen, and how many were: for all queues. */
const AGE = "s/age";
const [AGE_DIGITS, RANDOM_SIZE] = [6, 8];

/** The prefix of all that waits to be sent. */
export const QUEUES = "q/";
const BATCH = "/batch";

/** The prefixes of a queue's records: its plan, which is small, and what waits. */
export const planOf = (place: string): string => `p/${place}/`;
export const queueOf = (place: string): string => `${QUEUES}${place}/`;

/** The beginning of 2024: no clock that was ever set is before it. */
export const CLOCK_WAS_SET = 1_704_067_200_000;

/** In a transaction that has read the plan; what touches what waits needs the queues as well. */
export class Outbox {
  readonly #plan: string;
  readonly #batch: string;
  /** Reports that were dropped here in this transaction, by reason. */
  readonly lost = new Map<Loss, number>();

  /** `others` are the places of queues that this one sends besides its own. */
  constructor(
    private readonly records: Records, private readonly place: string, private readonly others: readonly string[],
    private readonly limits: QueueLimits, private readonly random: Random, private readonly now: number,
  ) {
    this.#plan = planOf(place);
    this.#batch = `${QUEUES}${place}${BATCH}`;
  }

  /** Let a report wait, in the transaction that charges for it. */
  put({ fingerprint, row, epoch, mark, combination }: Report): void {
    const key = String(this.#age()).padStart(AGE_DIGITS, "0") + hex(bytesFrom(this.random, RANDOM_SIZE));
    const entry = [hex(fingerprint), hex(row), epoch ?? null, mark ? hex(mark) : "", combination ?? 0];
    const whole = `${queueOf(this.place)}report/${key}`;
    this.records.put(whole, entry);
    const tally = this.#tally;
    if (tally) this.#note([tally[0] + 1, tally[1] + this.records.sizeOf(whole), Math.min(tally[2], ageOf(whole))]);
  }

  /** Whether some may have to be dropped, as far as is known without reading what waits. */
  get isCrowded(): boolean {
    const [count, size, oldest] = this.#tally ?? [Infinity, 0, 0];
    return count > this.limits.reports || size > this.limits.bytes || oldest < this.#age() - this.limits.days;
  }

  /**
   * The bytes to send next, the same until `done`; undefined if nothing waits. It is written down that the attempt failed,
   * and that nothing is sent before `pause` seconds, which depend on the failures in a row.
   */
  take(pause: (failures: number) => number): Bytes | undefined {
    this.trim();
    const kept = this.records.expendable(this.#batch) ?? this.#made();
    if (!kept) return undefined;
    const failures = (this.attempt?.failures ?? 0) + 1;
    this.records.put(`${this.#plan}attempt`, [this.now, "begun", "", failures]);
    this.postpone(pause(failures));
    return fromHex(kept[0] as string);
  }

  /** What became of an attempt: a decided batch is forgotten. */
  settle(frame: Bytes, outcome: string, reason: string, isDecided: boolean): number {
    const batch = this.records.expendable(this.#batch);
    // Another tab may have sent it too, and taken the next.
    const isOurs = batch?.[0] === hex(frame);
    const [at, failures] = [this.attempt?.at ?? this.now, this.attempt?.failures ?? 0];
    this.records.put(`${this.#plan}attempt`, [at, outcome, reason, isDecided ? 0 : failures]);
    if (isDecided) this.records.delete(`${this.#plan}pause`);
    if (isDecided && isOurs) this.records.delete(this.#batch);
    return isOurs ? (batch![1] as number) : 0;
  }

  /** Let nothing be sent for so many seconds. */
  postpone(seconds: number): void {
    this.#set("pause", Math.min(seconds, LONGEST_PAUSE));
  }

  /** Let what was turned away be tried at once: someone may have mended the cause. */
  resume(): void {
    if (this.attempt?.outcome === "held") this.records.delete(`${this.#plan}pause`);
  }

  /** The seconds until something may be sent. */
  get pause(): number {
    return this.#left("pause", LONGEST_PAUSE) ?? 0;
  }

  /** The seconds until the next upload is due; undefined if none was ever planned. */
  due(most: number): number | undefined {
    return this.#left("due", most);
  }

  plan(seconds: number): void {
    this.#set("due", seconds);
  }

  get attempt(): Attempt | undefined {
    const record = this.records.expendable(`${this.#plan}attempt`);
    if (!record) return undefined;
    const [at, outcome, reason, failures] = record as [number, string, string, number];
    return { at, outcome, reason, failures };
  }

  get waiting(): number {
    return this.#keys().length + ((this.records.expendable(this.#batch)?.[1] as number | undefined) ?? 0);
  }

  /** The reports that wait for other surveys or collectors, in a transaction that has read all queues. */
  get elsewhere(): number {
    const keys = this.records.keys(QUEUES);
    const isReport = (key: string): boolean => key.split("/")[2] === "report";
    const tried = keys.filter((key) => key.endsWith(BATCH) && key !== this.#batch).map((key) => this.records.expendable(key)?.[1]);
    return tried.reduce((sum: number, size) => sum + ((size as number | undefined) ?? 0), keys.filter(isReport).length - this.#keys().length);
  }

  get dropped(): Dropped {
    const prefix = `${this.#plan}dropped/`;
    return new Map(this.records.sound(prefix).map(([key, [number]]) => [key.slice(prefix.length), number as number]));
  }

  /** Note reports that no collector will count. */
  drop(reason: string, number: number): void {
    const key = `${this.#plan}dropped/${reason}`;
    if (number) this.records.put(key, [((this.records.expendable(key)?.[0] as number | undefined) ?? 0) + number]);
  }

  /** Drop what is too old, or more than may wait. */
  trim(): void {
    const first = this.#age() - this.limits.days;
    const keys = this.#keys();
    const sizes = keys.map((key) => this.records.sizeOf(key));
    let size = sizes.reduce((sum, own) => sum + own, 0);
    let dropped = 0;
    for (const [place, key] of keys.entries()) {
      const isOld = ageOf(key) < first;
      if (!isOld && keys.length - place <= this.limits.reports && size <= this.limits.bytes) break;
      this.records.delete(key);
      this.#lose(isOld ? "too-old" : "queue-full", 1);
      dropped += 1;
      size -= sizes[place]!;
    }
    const oldest = keys[dropped];
    this.#note([keys.length - dropped, size, oldest ? ageOf(oldest) : Infinity]);
    const batch = this.records.expendable(this.#batch);
    if (batch && (batch[2] as number) < first) {
      this.records.delete(this.#batch);
      this.#lose("too-old", batch[1] as number);
    }
  }

  /** Drop what waits in all queues, because the person wants all to be forgotten. */
  forget(): void {
    for (const [key, entry] of this.records.sound(QUEUES)) {
      this.#lose("forgotten", key.endsWith(BATCH) ? (entry[1] as number) : 1);
      this.records.delete(key);
    }
  }

  /** A batch of reports to one question, whichever a random number puts first. */
  #made(): Entry | undefined {
    const number = (key: string): string => key.slice(-2 * RANDOM_SIZE);
    const shuffled = this.#reports().sort(([one], [other]) => (number(one) < number(other) ? -1 : 1));
    const [first] = shuffled;
    if (!first) return undefined;
    // The id of a batch tells its epoch: a clock that was never set would make it come too late, for good.
    if (first[1][2] !== null && this.now < CLOCK_WAS_SET) return undefined;
    const report = ([, [fingerprint, row, epoch, , combination]]: [string, Entry]): Report => ({
      fingerprint: fromHex(fingerprint as string),
      row: fromHex(row as string),
      epoch: (epoch as number | null) ?? undefined,
      combination: (combination as number | undefined) ?? 0,
    });
    const [, [own, , epoch, mark, said]] = first as [string, readonly [string, string, number | null, string?, number?]];
    // A report with a mark travels alone, under an id that is made from it.
    const alike = shuffled.filter(([, [fingerprint, , , other, theirs]]) => (
      fingerprint === own && other === mark && theirs === said
    ));
    const chosen = alike.slice(0, together(report(first), this.limits.batch));
    const random = !mark ? this.random : marked(fromHex(mark), epoch ?? undefined, this.now / 1000);
    const frame = encodeFrame(encodeBatch(batchOf(chosen.map(report), random, () => this.now)));
    for (const [key] of chosen) this.records.delete(key);
    // What is left is counted when something is put there.
    this.records.delete(`${this.#plan}tally`);
    const entry = [hex(frame), chosen.length, this.#age()];
    this.records.put(this.#batch, entry);
    return entry;
  }

  /** The keys of the reports that wait in no batch, the oldest first. */
  #keys(): string[] {
    const queues = [this.place, ...this.others].map((place) => this.records.keys(`${queueOf(place)}report/`));
    const [own = [], ...others] = queues;
    return others.length ? queues.flat().sort((one, other) => ageOf(one) - ageOf(other)) : own;
  }

  /** The reports themselves, without those that are damaged. */
  #reports(): [string, Entry][] {
    const before = this.records.spoilt.length;
    const reports = this.#keys().flatMap((key): [string, Entry][] => {
      const entry = this.records.expendable(key);
      return entry ? [[key, entry]] : [];
    });
    this.#lose("damaged", this.records.spoilt.length - before);
    return reports;
  }

  /** How many reports wait, as far as is known, how many bytes they have, and of which age the oldest is. */
  get #tally(): Tally | undefined {
    const record = this.records.expendable(`${this.#plan}tally`) as readonly [number, number, number | null] | undefined;
    return record && [record[0], record[1], record[2] ?? Infinity];
  }

  #note([count, size, oldest]: Tally): void {
    this.records.put(`${this.#plan}tally`, [count, size, oldest === Infinity ? null : oldest]);
  }

  /** On how many days the device was in use, as far as is known. */
  #age(): number {
    const day = Math.floor(this.now / DAY);
    const [last, age] = (this.records.expendable(AGE) ?? [undefined, -1]) as [number | undefined, number];
    if (day === last) return age;
    this.records.put(AGE, [day, age + 1]);
    return age + 1;
  }

  #lose(reason: Loss, number: number): void {
    if (!number) return;
    this.lost.set(reason, (this.lost.get(reason) ?? 0) + number);
    this.drop(reason, number);
  }

  #set(name: string, seconds: number): void {
    this.records.put(`${this.#plan}${name}`, [this.now, this.now + 1000 * seconds]);
  }

  #left(name: string, most: number): number | undefined {
    const record = this.records.expendable(this.#plan + name) as [number, number] | undefined;
    if (!record) return undefined;
    const isAbsurd = this.now < record[0] || record[1] - this.now > 1000 * most;
    return isAbsurd ? 0 : Math.max(0, (record[1] - this.now) / 1000);
  }
}

/** That of a report, by its key. */
function ageOf(key: string): number {
  const end = key.length - 2 * RANDOM_SIZE;
  return Number(key.slice(end - AGE_DIGITS, end));
}
