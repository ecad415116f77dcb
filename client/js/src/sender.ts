/**
 * Sends what waits (`client/ldp_client/delivery/sender.py`).
 *
 * - An upload is due at a random time, which is kept: what became due while the app was closed is sent when it starts. It
 *   says nothing about the time of an answer.
 * - An attempt has a deadline as a whole. What failed waits for a random time, up to a limit that doubles with each failure
 *   (full jitter), and never less than the collector asked for; what only a person can mend, for hours. A person who asks for it
 *   waits for none of these.
 * - What goes through a relay is sealed once and goes one message at a time, each at a time that is drawn for it, and is due the sooner
 *   the more waits: what left together could be told to belong together.
 * - All of that is written down before the attempt (`outbox.ts`), so neither a restart nor a second tab shortens it.
 */

import { type Bytes, toInteger } from "./bytes.js";
import type { Counts } from "./counts.js";
import type { Outbox } from "./outbox.js";
import { type Random, bytesFrom } from "./randomness.js";
import { type Outcome, type Transport, type Verdict, outcomeOf } from "./transport.js";
import { isSealed } from "./wire.js";

const FIRST_PAUSE = 2;
const MOST_DOUBLINGS = 12;
/** Seconds, of which twice as many are the most. */
const HELD = 3600;
/** Seconds at most, where there is no network. */
const OFFLINE = 20;
/** Seconds. */
export const LONGEST_INTERVAL = 604_800;
const LONGEST_TIMEOUT = 600;
const GRAIN_SIZE = 4;

const OPEN = new Set<Verdict>(["retry", "held", "offline"]);
const QUIET = new Set<Verdict>(["accepted", "duplicate"]);
/** Verdicts by which reports are lost, and those that are counted for good. */
const LOST = new Set<Verdict>(["refused", "late", "early", "rejected"]);
const COUNTED = new Set<Verdict>([...LOST, "quarantined"]);
/** What Node says, in the cause of an error, where there is no network; or none has such a name. */
const UNREACHED = new Set(["ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "ENETDOWN", "EHOSTUNREACH", "EADDRNOTAVAIL"]);

/** Some work on the outbox, in a transaction that reads its plan, or all that waits; nothing where nothing may be sent. */
type Work = <T>(needs: "plan" | "queue", work: (outbox: Outbox) => T) => Promise<T | undefined>;

export class Sender {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #round: Promise<boolean> = Promise.resolve(true);
  readonly #closing = new AbortController();

  /** `interval` is the mean of seconds between uploads; null for those that are asked for only. Throws `RangeError`. */
  constructor(
    private readonly transport: Transport, private readonly work: Work, private readonly counts: Counts,
    private readonly random: Random, private readonly interval: number | null, private readonly timeout: number,
    private readonly look: (transport: Transport, sends: boolean, signal: AbortSignal) => Promise<void>,
    private readonly seal?: (frame: Bytes) => Promise<Bytes>,
  ) {
    if (interval !== null && !(interval > 0 && interval <= LONGEST_INTERVAL)) {
      throw new RangeError(`expected an interval above 0 and up to ${LONGEST_INTERVAL} seconds, or null, got ${interval}`);
    }
    if (!(timeout > 0 && timeout <= LONGEST_TIMEOUT)) {
      throw new RangeError(`expected a timeout above 0 and up to ${LONGEST_TIMEOUT} seconds, got ${timeout}`);
    }
  }

  /** Send at once what is overdue, and the rest in its time. */
  async start(): Promise<void> {
    if (this.interval === null) return;
    await this.#look(false);
    if ((await this.#due()) === 0) await this.send(!!this.seal);
    const wait = (await this.#due()) || this.interval;
    if (this.#closing.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.start(), 1000 * wait + 1);
    letGo(this.#timer);
  }

  /** Send batch after batch, until nothing waits or a pause is called for; or one. Whether nothing was lost. */
  send(isOne = false): Promise<boolean> {
    this.#round = this.#round.then(() => this.#sendAll(isOne));
    return this.#round;
  }

  /** Send nothing more; what is on its way is given up, and sent another time. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#closing.abort();
    await this.#round;
  }

  async #sendAll(isOne: boolean): Promise<boolean> {
    let isWhole = true;
    let hasLooked = false;
    try {
      for (;;) {
        const batch = this.#closing.signal.aborted ? undefined : await this.work("queue", (outbox) => this.#taken(outbox));
        if (!hasLooked) await this.#look(batch !== undefined);
        hasLooked = true;
        const payload = batch && (await this.#sealed(batch));
        if (!payload) break;
        const outcome = await this.#sent(payload);
        if (this.#closing.signal.aborted) break;
        isWhole &&= !LOST.has(outcome.verdict);
        await this.work("queue", (outbox) => this.#settle(outbox, payload, outcome));
        this.counts.add(outcome.verdict, 1, QUIET.has(outcome.verdict) ? undefined : outcome.reason);
        if (isOne || OPEN.has(outcome.verdict)) break;
      }
      await this.work("queue", (outbox) => this.#planNext(outbox));
    } catch (error) {
      this.counts.note(error);
    }
    return isWhole;
  }

  /** The seconds until the next upload; undefined where that cannot be told. It is planned now, if none was before. */
  async #due(): Promise<number | undefined> {
    const most = 2 * (this.interval ?? 0);
    try {
      return await this.work("plan", (outbox) => {
        if (outbox.due(most) === undefined) outbox.plan(this.#uniform(most));
        return outbox.due(most);
      });
    } catch (error) {
      this.counts.note(error);
      return undefined;
    }
  }

  #taken(outbox: Outbox): Bytes | undefined {
    return outbox.pause ? undefined : outbox.take((failures) => this.timeout + this.#backoff(failures));
  }

  async #sealed(batch: Bytes): Promise<Bytes | undefined> {
    if (!this.seal || isSealed(batch)) return batch;
    const sealed = await this.seal(batch);
    return this.work("queue", (outbox) => outbox.seal(batch, sealed));
  }

  #settle(outbox: Outbox, payload: Bytes, { verdict, wait = 0, reason = "" }: Outcome): void {
    const isOpen = OPEN.has(verdict);
    outbox.settle(payload, verdict, reason, !isOpen, COUNTED.has(verdict));
    if (!isOpen) return;
    const least = {
      held: HELD + this.#uniform(HELD), offline: this.#uniform(OFFLINE), retry: this.#backoff(outbox.attempt?.failures ?? 1),
    };
    outbox.postpone(Math.max(wait, least[verdict as keyof typeof least]));
  }

  #planNext(outbox: Outbox): void {
    if (this.interval === null) return;
    const most = 2 * this.interval;
    const { waiting, pause } = outbox;
    const wait = waiting && !this.seal ? FIRST_PAUSE : this.#uniform(most / (waiting || 1));
    outbox.plan(waiting ? Math.min(Math.max(pause, wait), most) : wait);
  }

  /** See whether the collector has something to say, before something is sent or without. */
  async #look(sends: boolean): Promise<void> {
    const attempt = new AbortController();
    const timer = setTimeout(() => attempt.abort(), 1000 * this.timeout);
    letGo(timer);
    try {
      await this.look(this.transport, sends, attempt.signal);
    } catch (error) {
      // What cannot be had, or is not to be believed, changes nothing.
      this.counts.note(error, "stop-list");
    } finally {
      clearTimeout(timer);
    }
  }

  async #sent(payload: Bytes): Promise<Outcome> {
    const attempt = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    // A transport may not look at the signal.
    const stopped = new Promise<Outcome>((resolve) => {
      const stop = (): void => {
        resolve({ verdict: "retry", reason: "no answer in time" });
        attempt.abort();
      };
      timer = setTimeout(stop, 1000 * this.timeout);
      letGo(timer);
      this.#closing.signal.addEventListener("abort", stop, { signal: attempt.signal });
    });
    try {
      return await Promise.race([this.transport.send(payload, attempt.signal).then(outcomeOf), stopped]);
    } catch (error) {
      const reason = wordFor(error);
      const isOffline = globalThis.navigator?.onLine === false || UNREACHED.has(reason);
      return { verdict: isOffline ? "offline" : "retry", reason };
    } finally {
      clearTimeout(timer);
      attempt.abort();
    }
  }

  #backoff(failures: number): number {
    return this.#uniform(FIRST_PAUSE * 2 ** Math.min(failures, MOST_DOUBLINGS));
  }

  #uniform(most: number): number {
    try {
      return (Number(toInteger(bytesFrom(this.random, GRAIN_SIZE))) / 2 ** (8 * GRAIN_SIZE)) * most;
    } catch {
      // A delay need not be random to be safe.
      return most;
    }
  }
}

/** Why an attempt failed, in a word: Node's `fetch` says `TypeError`, and what was the matter in its cause. */
function wordFor(error: unknown): string {
  const { code } = ((error as { readonly cause?: unknown } | null)?.cause ?? error ?? {}) as { readonly code?: unknown };
  if (typeof code === "string" && /^[A-Z][A-Z0-9_]{1,40}$/.test(code)) return code;
  return error instanceof Error ? error.name : typeof error;
}

/** A program on Node need not wait for a timer before it ends. */
function letGo(timer: unknown): void {
  (timer as { unref?: () => void }).unref?.();
}
