/**
 * The queue: randomized reports that wait to be sent (`client/ldp_client/delivery/outbox.py`), and when that may be.
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
 * - The queue is bounded by count, bytes and age. Where there are too many, reports to memoized questions go first, which can be
 *   given again at no cost, and then the others; of each the oldest. What is dropped depends on the question, and on no answer.
 * - A tally says whether there is anything to drop, and of which day, so that a report that is put there need not read those that
 *   wait, and a full queue a few of them: those of the oldest day whose random numbers begin alike.
 * - How many reports were lost, of which questions and why, is kept for as long as the store.
 */

import { fromHex, hex } from "./bytes.js";
import type { Bytes } from "./bytes.js";
import { type Random, bytesFrom } from "./randomness.js";
import { type Report, batchOf, together } from "./reports.js";
import type { Entry, Records } from "./store.js";
import { marked } from "./tapes.js";
import { FRAME_HEAD, encodeBatch, encodeFrame } from "./wire.js";

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

/** Reports that were lost, or are kept for a version to come: to a question or group, by its fingerprint, and why. */
export type Loss = readonly [reason: string, fingerprint: string, number: number];

/** How many reports wait, their bytes, and of which age the oldest is; and the oldest that can be given again. */
type Tally = readonly [count: number, size: number, oldest: number, repeatable: number];
type Cause = "too-old" | "queue-full" | "damaged" | "forgotten";

const DAY = 86_400_000;
/** The last day that was seen, and how many were: for all queues. */
const AGE = "s/age";
const [AGE_DIGITS, RANDOM_SIZE] = [6, 8];
const FINGERPRINT_DIGITS = 32;
/** The queue's bounds are looked at once in so many reports. */
export const SLACK = 16;

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
  readonly lost = new Map<Cause, number>();

  /**
   * `others` are the places of queues that this one sends besides its own; `repeatable` the fingerprints of what may be reported
   * again at no cost.
   */
  constructor(
    private readonly records: Records, private readonly place: string, private readonly others: readonly string[],
    private readonly limits: QueueLimits, private readonly repeatable: ReadonlySet<string>, private readonly random: Random,
    private readonly now: number,
  ) {
    this.#plan = planOf(place);
    this.#batch = `${QUEUES}${place}${BATCH}`;
  }

  /** Let a report wait, in the transaction that charges for it. */
  put({ fingerprint, row, epoch, mark, combination }: Report): void {
    const key = padded(this.#age()) + hex(bytesFrom(this.random, RANDOM_SIZE));
    const entry = [hex(fingerprint), hex(row), epoch ?? null, mark ? hex(mark) : "", combination ?? 0];
    const whole = `${queueOf(this.place)}report/${key}`;
    this.records.put(whole, entry);
    const tally = this.#tally;
    if (tally) this.#note(added(tally, this.records.sizeOf(whole), ageOf(whole), this.#isRepeatable(whole)));
  }

  /**
   * Where more wait than may, as far as is known: what to read so that some can be dropped, as the beginning of keys, the next one
   * for each `turn`. It is nothing if all has to be read, and undefined if none has to be dropped.
   */
  excess(turn: number): string | undefined {
    const tally = this.#tally;
    const first = this.#age() - this.limits.days;
    if (tally && this.#fits(tally) && tally[2] >= first) return undefined;
    const [count, , oldest, repeatable] = tally ?? [0, 0, 0, 0];
    const digits = Math.floor(Math.log(count / (2 * SLACK)) / Math.log(16));
    if (!tally || oldest < first || repeatable === Infinity || digits < 1) return "";
    return `${queueOf(this.place)}report/${padded(repeatable)}${(turn % 16 ** digits).toString(16).padStart(digits, "0")}`;
  }

  /** Drop reports that can be given again, of those whose keys begin so. Whether that was enough; undefined if there are none. */
  trimSome(beginning: string): boolean | undefined {
    let tally = this.#tally;
    // Another tab may have taken a batch meanwhile.
    if (!tally) return undefined;
    const dropped: string[] = [];
    for (const key of this.records.keys(beginning)) {
      if (this.#fits(tally)) break;
      if (!this.#isRepeatable(key)) continue;
      dropped.push(key);
      tally = [tally[0] - 1, tally[1] - this.records.sizeOf(key), tally[2], tally[3]];
    }
    this.#drop("queue-full", dropped);
    this.#note(tally);
    return dropped.length ? this.#fits(tally) : undefined;
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

  /** Keep sealed bytes in place of a batch that was taken; what is kept, as another tab may have sealed it, or sent it. */
  seal(frame: Bytes, sealed: Bytes): Bytes | undefined {
    const batch = this.records.expendable(this.#batch);
    if (batch?.[0] !== hex(frame)) return batch && fromHex(batch[0] as string);
    this.records.put(this.#batch, [hex(sealed), ...batch.slice(1)]);
    return sealed;
  }

  /** What became of an attempt: a decided batch is forgotten, and counted if that is not all there is to say of it. */
  settle(frame: Bytes, outcome: string, reason: string, isDecided: boolean, isCounted: boolean): void {
    const batch = this.records.expendable(this.#batch);
    // Another tab may have sent it too, and taken the next.
    const isOurs = batch?.[0] === hex(frame);
    const [at, failures] = [this.attempt?.at ?? this.now, this.attempt?.failures ?? 0];
    this.records.put(`${this.#plan}attempt`, [at, outcome, reason, isDecided ? 0 : failures]);
    if (isDecided) this.records.delete(`${this.#plan}pause`);
    if (!isDecided || !isOurs) return;
    if (isCounted) this.#count(outcome, batch[1] as number, fingerprintOf(batch));
    this.records.delete(this.#batch);
  }

  /** Let nothing be sent for so many seconds. */
  postpone(seconds: number): void {
    this.#set("pause", Math.min(seconds, LONGEST_PAUSE));
  }

  /**
   * Let what was turned away be tried at once: someone may have mended the cause. If a person asks for it, so is whatever has failed;
   * but an attempt that has begun is given its time to end, in seconds.
   */
  resume(timeIfAsked?: number): void {
    const isAsked = timeIfAsked !== undefined && !this.isUnderWay(timeIfAsked);
    if (isAsked || this.attempt?.outcome === "held") this.records.delete(`${this.#plan}pause`);
  }

  /** Whether an attempt has begun, of any page, that still may end within its time, in seconds. */
  isUnderWay(time: number): boolean {
    const { at = 0, outcome } = this.attempt ?? {};
    const age = this.now - at;
    return outcome === "begun" && age >= 0 && age < 1000 * time;
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

  /** What was lost, or is kept for a version to come, ever. */
  get losses(): readonly Loss[] {
    const prefix = `${this.#plan}dropped/`;
    return this.records.sound(prefix).map(([key, [number]]) => {
      const [reason = "", fingerprint = ""] = key.slice(prefix.length).split("/");
      return [reason, fingerprint, number as number];
    });
  }

  /** Drop what is too old, or more than may wait. */
  trim(): void {
    const first = this.#age() - this.limits.days;
    const all = this.#keys();
    const young = all.findIndex((key) => ageOf(key) >= first);
    const old = young < 0 ? all.length : young;
    this.#drop("too-old", all.slice(0, old));
    let left = all.slice(old);
    let [count, size] = [left.length, left.reduce((sum, key) => sum + this.records.sizeOf(key), 0)];
    for (const goesFirst of this.#fits([count, size]) ? [] : [true, false]) {
      const dropped = new Set<string>();
      for (const key of left) {
        if (this.#fits([count, size])) break;
        if (this.#isRepeatable(key) !== goesFirst) continue;
        dropped.add(key);
        count -= 1;
        size -= this.records.sizeOf(key);
      }
      this.#drop("queue-full", [...dropped]);
      left = left.filter((key) => !dropped.has(key));
    }
    const ageOfFirst = (key: string | undefined): number => (key === undefined ? Infinity : ageOf(key));
    this.#note([count, size, ageOfFirst(left[0]), ageOfFirst(left.find((key) => this.#isRepeatable(key)))]);
    const batch = this.records.expendable(this.#batch);
    if (batch && (batch[2] as number) < first) {
      this.records.delete(this.#batch);
      this.#lose("too-old", batch[1] as number, fingerprintOf(batch));
    }
  }

  /** Drop what waits in all queues, because the person wants all to be forgotten. All of it is counted here. */
  forget(): void {
    for (const [key, entry] of this.records.sound(QUEUES)) {
      if (key.endsWith(BATCH)) this.#lose("forgotten", entry[1] as number, fingerprintOf(entry));
      else this.#lose("forgotten", 1, entry[0] as string);
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
    this.#lose("damaged", this.records.spoilt.length - before, "");
    return reports;
  }

  /** As far as is known. That of an earlier version says too little. */
  get #tally(): Tally | undefined {
    const record = this.records.expendable(`${this.#plan}tally`) as readonly (number | null)[] | undefined;
    return record?.length === 4 ? [record[0]!, record[1]!, record[2] ?? Infinity, record[3] ?? Infinity] : undefined;
  }

  #note(tally: Tally): void {
    this.records.put(`${this.#plan}tally`, tally.map((number) => (number === Infinity ? null : number)));
  }

  #fits([count, size]: readonly [count: number, size: number, ...rest: number[]]): boolean {
    return count <= this.limits.reports && size <= this.limits.bytes;
  }

  #isRepeatable(key: string): boolean {
    return this.repeatable.has(this.#fingerprintAt(key));
  }

  /** The fingerprint of a report that waits. */
  #fingerprintAt(key: string): string {
    return this.records.beginningOf(key, FINGERPRINT_DIGITS);
  }

  /** On how many days the device was in use, as far as is known. */
  #age(): number {
    const day = Math.floor(this.now / DAY);
    const [last, age] = (this.records.expendable(AGE) ?? [undefined, -1]) as [number | undefined, number];
    if (day === last) return age;
    this.records.put(AGE, [day, age + 1]);
    return age + 1;
  }

  #drop(reason: Cause, keys: readonly string[]): void {
    const numbers = new Map<string, number>();
    for (const key of keys) {
      const fingerprint = this.#fingerprintAt(key);
      numbers.set(fingerprint, (numbers.get(fingerprint) ?? 0) + 1);
      this.records.delete(key);
    }
    for (const [fingerprint, number] of numbers) this.#lose(reason, number, fingerprint);
  }

  #lose(reason: Cause, number: number, fingerprint: string): void {
    if (!number) return;
    this.lost.set(reason, (this.lost.get(reason) ?? 0) + number);
    this.#count(reason, number, fingerprint);
  }

  #count(reason: string, number: number, fingerprint: string): void {
    const key = `${this.#plan}dropped/${reason}/${fingerprint}`;
    this.records.put(key, [((this.records.expendable(key)?.[0] as number | undefined) ?? 0) + number]);
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

/** With one report more. */
function added([count, size, oldest, repeatable]: Tally, more: number, age: number, isRepeatable: boolean): Tally {
  return [count + 1, size + more, Math.min(oldest, age), isRepeatable ? Math.min(repeatable, age) : repeatable];
}

/** That of the question or group whose reports a batch has. */
function fingerprintOf([frame]: Entry): string {
  // Behind the array, its format and what says that bytes follow; sealed or not.
  return (frame as string).slice(2 * FRAME_HEAD + 8).slice(0, FINGERPRINT_DIGITS);
}

function padded(age: number): string {
  return String(age).padStart(AGE_DIGITS, "0");
}

/** That of a report, by its key. */
function ageOf(key: string): number {
  const end = key.length - 2 * RANDOM_SIZE;
  return Number(key.slice(end - AGE_DIGITS, end));
}
