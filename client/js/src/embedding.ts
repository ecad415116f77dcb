/**
 * The client that apps embed (`client/ldp_client/embedding/embedded.py`): a respondent, a queue and uploads over one store.
 *
 * - The app is never rejected, unless it asked for `strict`: a full disk, a damaged store, a spent budget or missing
 *   randomness mean that nothing is reported. It is counted by reason, and logged once for each; `status` says all of it.
 * - What is charged and what waits to be sent change in one transaction, before `record` is fulfilled.
 * - What a person says about consent counts at once, even where it cannot be written down.
 */

import { type Agreement, type Said, recover } from "./agreement.js";
import { type Attributes, checkSaid, combinationOf } from "./attributes.js";
import { fromHex } from "./bytes.js";
import { Counts } from "./counts.js";
import { againToday } from "./daily.js";
import { watched } from "./debugging.js";
import { type Desk, Desks, type Needs, SENDING } from "./desk.js";
import { AnswerError, StateError } from "./errors.js";
import { jointFingerprint, membersOf } from "./joint.js";
import { IndexedDBStore } from "./indexeddb.js";
import { Ledger } from "./ledger.js";
import { CLOCK_WAS_SET, type Outbox, SLACK, USUAL_LIMITS } from "./outbox.js";
import { Preview } from "./preview.js";
import { type Random, system } from "./randomness.js";
import { bound } from "./ratio.js";
import type { Reason } from "./reasons.js";
import { type Asked, erase } from "./respondent.js";
import { NO_COLLECTOR, STATE, Scope } from "./scope.js";
import { LONGEST_INTERVAL, Sender } from "./sender.js";
import { type EmbeddedSettings, type Means, refuseBeyond, refuseUnknown } from "./settings.js";
import { type Facts, Status, adviceOn, summed, unread } from "./status.js";
import { type Store, transact } from "./store.js";
import type { Answer, Survey } from "./survey.js";
import type { StopRule } from "./stops.js";
import { HTTPTransport, type Transport } from "./transport.js";
import { Vault } from "./vault.js";

const DAY = 86_400_000;
/** What befalls reports that wait too long, or are too many. */
const LOSSES = ["too-old", "queue-full"] as const;
/** Milliseconds between looks at whether another page has sent what waits. */
const GLANCE = 50;
const NO_ATTEMPT = { at: undefined, outcome: "", reason: "", failures: 0 };

/**
 * Whether Node's environment has a switch turned on: `LDP_LOG_BATCHES` has any app log what leaves; where there is `LDP_DISABLED` or
 * `DO_NOT_TRACK` nothing is recorded or sent.
 */
function isSet(name: string): boolean {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return !["", "0"].includes(process?.env?.[name] ?? "");
}

export class EmbeddedClient {
  readonly #store: Store;
  readonly #sender: Sender | undefined;
  readonly #counts: Counts;
  readonly #desks: Desks;
  readonly #random: Random;
  readonly #now: () => number;
  readonly #strict: boolean;
  readonly #attributes: Attributes;
  readonly #stops: StopRule | undefined;
  readonly #place: string;
  readonly #vault: Vault;
  readonly #timeout: number;
  readonly #isDisabled = isSet("LDP_DISABLED") || isSet("DO_NOT_TRACK");
  #isWithdrawn = false;
  #isClosed = false;
  #untilTrimmed = 0;
  #turn = 0;
  #hasFlushed = false;

  /**
   * Throws `SurveyError` for a survey that asks for too much, `AnswerError` for an attribute that it does not list, and
   * `RangeError` for settings that make no sense.
   */
  constructor(readonly survey: Survey, settings: EmbeddedSettings = {}, { random = system, now = Date.now }: Means = {}) {
    const { store, collector, transport, lifetimeCap, interval = 3600, timeout = 10 } = settings;
    refuseUnknown(settings);
    refuseBeyond(survey, settings);
    checkSaid(survey.attributes, settings.attributes ?? {});
    this.#attributes = { ...settings.attributes };
    if (!store && typeof indexedDB === "undefined") throw new RangeError("expected a store: there is no IndexedDB here");
    const way = settings.relay?.way(survey, transport ?? collector);
    const posts = way?.transport ?? transport ?? (collector === undefined ? undefined : new HTTPTransport(collector, settings.http));
    const sends = (settings.debug || isSet("LDP_LOG_BATCHES")) && posts ? watched(posts, survey, settings.log ?? ((message) => console.info(message))) : posts;
    this.#store = store ?? new IndexedDBStore();
    this.#counts = new Counts(settings.log ?? ((message) => console.warn(message)));
    const own = sends ? new Scope(way?.collector ?? sends.destination) : NO_COLLECTOR;
    const cap = lifetimeCap === undefined ? undefined : bound(lifetimeCap);
    const limits = { ...USUAL_LIMITS, ...settings.limits, ...(way && { batch: 1 }) };
    const ifNeverAsked = settings.consent !== "off";
    const vault = (this.#vault = new Vault(settings.secret));
    const derives = (settings.rollbackSafe ?? true) && !this.#store.forgets;
    this.#desks = new Desks({ store: this.#store, survey, own, cap, limits, ifNeverAsked, random, vault, derives, now });
    [this.#random, this.#now, this.#timeout] = [random, now, timeout];
    this.#strict = settings.strict ?? false;
    [this.#stops, this.#place] = [settings.stops, own.place(survey)];
    if (this.#isDisabled) return;
    if (derives) void this.#prepare();
    if (!sends) return;
    this.#sender = new Sender(
      sends, (needs, work) => this.#sending(needs, work), this.#counts, random, interval, timeout,
      (transport, isSending, signal) => this.#look(transport, isSending, signal), way?.seal,
    );
    void this.#sender.start();
  }

  /** Randomize an answer now and let its report wait to be sent. Whether there is a report. */
  record(name: string, answer: Answer): Promise<boolean> {
    return this.#kept(() => this.#asked(name, answer), false, name);
  }

  /** The same, at most once a day (UTC), of a question whose responses are memoized. */
  recordDaily(name: string, answer: Answer): Promise<boolean> {
    return this.#kept(() => this.#asked(name, answer), true, name);
  }

  /** The same for the answers to all questions of a group, by name. */
  recordTogether(answers: Readonly<Record<string, Answer>>): Promise<boolean> {
    return this.#kept(() => {
      const given = Object.keys(answers);
      const isGiven = (names: readonly string[]): boolean => names.every((name) => given.includes(name));
      const group = this.survey.groups.find((names) => names.length === given.length && isGiven(names));
      if (!group) throw new AnswerError("expected answers to all questions of a group of the survey, and to no others");
      const questions = membersOf(this.survey, group);
      return { fingerprint: jointFingerprint(questions), questions, answers: group.map((name) => answers[name]!) };
    });
  }

  /**
   * Send what waits, as far as a pause allows, and wait for that as many seconds at most, also where another page is at it. Whether
   * nothing waits any more, and nothing was lost meanwhile. The first time what was turned away is tried in spite of its pause: an app that was opened anew
   * may have another token. With `isAsked` no pause after a failure is kept: a person asks for it, and pauses are for programs.
   */
  flush(timeout = 10, isAsked = false): Promise<boolean> {
    return this.#guarded(false, async () => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      if (isAsked || !this.#hasFlushed) {
        await this.#transact("plan", ({ outbox }) => outbox.resume(isAsked ? this.#timeout : undefined));
      }
      this.#hasFlushed = true;
      const lostBefore = this.#lost;
      const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, 1000 * timeout, false)));
      const isWhole = await Promise.race([this.#sentByAny(Date.now() + 1000 * timeout), late]);
      clearTimeout(timer);
      return (await this.#transact("queue", ({ outbox }) => outbox.waiting)) === 0 && isWhole && this.#lost === lostBefore;
    });
  }

  async #sentByAny(until: number): Promise<boolean> {
    for (;;) {
      const isWhole = (await this.#sender?.send()) ?? true;
      const isBusy = await this.#transact("plan", ({ outbox }) => outbox.isUnderWay(this.#timeout));
      if (!isBusy || Date.now() > until) return isWhole;
      await new Promise((resolve) => setTimeout(resolve, GLANCE));
    }
  }

  /** The reports that were dropped here without having been sent. */
  get #lost(): number {
    return LOSSES.reduce((sum, reason) => sum + (this.#counts.numbers[reason] ?? 0), 0);
  }

  /** How many reports wait; 0 where the store cannot be read, as none is sent then. */
  waiting(): Promise<number> {
    return this.#guarded(0, () => this.#transact("queue", ({ outbox }) => outbox.waiting));
  }

  /** What happened since the client was made, by reason (`REASONS` says what each means). */
  counts(): Partial<Record<Reason, number>> {
    return this.#counts.numbers;
  }

  /** What the device has spent. One that cannot be read is a ledger that says so. */
  ledger(): Promise<Ledger> {
    const none = (error: unknown): Ledger => new Ledger([], [], [1n, 1n], unread(error, {}).state);
    return this.#guarded(none, () => this.#transact("plan", ({ records }) => Ledger.read(records)));
  }

  /** Whether answers are recorded now: `off` if the store cannot be read. */
  async consent(): Promise<"on" | "off"> {
    return this.#guarded("off", () => this.#transact("plan", ({ agreement }) => (this.#allows(agreement) ? "on" : "off")));
  }

  /** What the person said about this version of the survey. */
  said(): Promise<Said> {
    return this.#guarded("unknown", () => this.#transact("plan", ({ agreement }) => this.#said(agreement)));
  }

  /**
   * Note what the person says: `on`, to these terms; `off`, for all surveys in the store: nothing is recorded or sent from
   * now on; or `forget`: as `off`, and what waits, the permanent responses and the secrets are erased. The ledger stays. Say
   * `on` when a person has, and not at every start. Whether it is written down; it holds at once in any case. Anything else is a
   * mistake in the app, and rejected with a `RangeError`.
   */
  async setConsent(said: "on" | "off" | "forget"): Promise<boolean> {
    if (said !== "on" && said !== "off" && said !== "forget") throw new RangeError("expected on, off or forget");
    return this.#guarded(false, async () => {
      this.#isWithdrawn = said !== "on";
      await this.#transact(said === "forget" ? "everything" : "plan", ({ records, agreement, account, outbox }) => {
        agreement.keep(said === "on");
        if (said === "on") account.agree();
        if (said !== "forget") return;
        erase(records, "everything but this ledger was forgotten", this.#day);
        outbox.forget();
      }, true);
      if (said === "on") void this.#sender?.start();
      return true;
    });
  }

  /** Draw a new secret and new permanent responses from now on; they are charged anew. Whether it is written down. */
  rotate(): Promise<boolean> {
    return this.#guarded(false, async () => {
      await this.#transact("plan", ({ records }) => erase(records, "the secret was renewed", this.#day), true);
      return true;
    });
  }

  /** Where the store is damaged: go on without what was lost. People are asked anew, and the ledger tells of it. */
  recover(): Promise<boolean> {
    return this.#guarded(false, async () => {
      await transact(this.#store, [STATE], (records) => recover(records, this.#day), true);
      return true;
    });
  }

  /** All that there is to know, and what to do. It is never rejected. */
  async status(): Promise<Status> {
    const counts = this.counts();
    const told = await this.#transact<Facts>("everything", ({ records, agreement, outbox }) => {
      const { at, outcome, reason, failures } = { ...NO_ATTEMPT, ...outbox.attempt };
      // All of it is read, so that damage shows.
      records.range(STATE);
      return {
        state: "sound", consent: this.#allows(agreement) ? "on" : "off", said: this.#said(agreement), waiting: outbox.waiting,
        elsewhere: outbox.elsewhere, lastAttempt: at, outcome, reason, failures, nextDue: outbox.due(2 * LONGEST_INTERVAL), pause: outbox.pause,
        ...summed(this.survey, outbox.losses), counts,
      };
    }).catch((error: unknown) => unread(error, counts));
    const waitsForClock = this.survey.epoch !== undefined && this.#now() < CLOCK_WAS_SET;
    return new Status({ ...told, advice: adviceOn(told, this.#sender !== undefined, waitsForClock) });
  }

  /** What an answer would look like and could reveal; costs nothing. Undefined for one that does not fit its question. */
  preview(name: string, answer: Answer): Preview | undefined {
    try {
      return Preview.of(this.survey.question(name), answer, this.#random);
    } catch (error) {
      this.#counts.note(error);
      if (this.#strict) throw error;
      return undefined;
    }
  }

  /** Stop sending and let go of the store. What waits is sent another time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#sender?.stop();
    this.#store.close?.();
  }

  #asked(name: string, answer: Answer): Asked {
    const question = this.survey.question(name).alone;
    return { fingerprint: fromHex(question.fingerprint), questions: [question], answers: [answer] };
  }

  async #kept(ask: () => Asked, isDaily = false, name = ""): Promise<boolean> {
    if (this.#isDisabled) {
      this.#counts.add("disabled");
      return false;
    }
    if (this.#isClosed) {
      this.#counts.add("closed", 1, "record was called after close");
      if (this.#strict) throw new StateError("expected a client that is open, got one that was closed");
      return false;
    }
    return this.#guarded(false, async () => {
      const asked = ask();
      const { questions } = asked;
      await this.#vault.fetch();
      this.#untilTrimmed -= 1;
      const isToLook = this.#untilTrimmed < 0;
      if (isToLook) this.#untilTrimmed = SLACK - 1;
      let excess: string | undefined;
      // Kept by itself, so that an answer that cannot be paid for draws nothing anew.
      if (questions.some(({ draw }) => draw)) {
        await this.#transact("plan", ({ agreement, respondent }) => {
          if (this.#allows(agreement)) respondent.draw(asked);
        });
      }
      const outcome = await this.#transact("plan", ({ records, scope, agreement, respondent, outbox }): Reason => {
        if (!this.#allows(agreement)) return "consent-off";
        const names = questions.map(({ name }) => name);
        const refusal = this.#stops?.refusal(records, this.#place, names, this.#random, this.#day);
        if (refusal) return refusal;
        if (isDaily && againToday(records, scope, questions[0]!, this.#day)) return "daily";
        const report = respondent.report(asked);
        if (!report) return "not-drawn";
        const combination = combinationOf(this.survey.attributes, names[0]!, this.#attributes);
        outbox.put({ ...report, combination });
        if (isToLook) excess = outbox.excess(this.#turn);
        return "recorded";
      });
      if (excess !== undefined) await this.#trim(excess);
      this.#counts.add(outcome);
      return outcome === "recorded";
    }, name);
  }

  /** Drop what is more than may wait: some, of what is read of it; or where there are none of what can be given again, by reading all. */
  async #trim(excess: string): Promise<void> {
    try {
      const some = { under: excess };
      const isDone = excess ? await this.#transact(some, ({ outbox }) => outbox.trimSome(excess)) : undefined;
      if (isDone === undefined) await this.#transact("queue", ({ outbox }) => outbox.trim());
      if (isDone) return;
      this.#turn += 1;
      if (isDone === false) this.#untilTrimmed = 0;
    } catch (error) {
      this.#counts.note(error);
    }
  }

  /** Draw the secret before there is an answer: a backup that was made since then has it. */
  async #prepare(): Promise<void> {
    try {
      await this.#vault.fetch();
      if (!this.#isClosed) await this.#transact("plan", ({ respondent }) => void respondent.secret());
    } catch {
      // What is wrong shows, and is counted, when something is recorded.
    }
  }

  /** Fetch a stop list, before something is sent; or where answers are lost for want of one. */
  async #look(transport: Transport, sends: boolean, signal: AbortSignal): Promise<void> {
    const [rule, place] = [this.#stops, this.#place];
    if (!rule || !transport.stops) return;
    const isTime = sends || (await this.#transact("plan", ({ records }) => rule.lacks(records, place, this.#day)));
    const data = isTime ? await transport.stops(this.survey.name, signal) : null;
    if (!data) return;
    const entry = await rule.read(data, this.survey.name, this.#day);
    await this.#transact("plan", ({ records }) => rule.keep(records, place, entry), true);
  }

  #said(agreement: Agreement): Said {
    return this.#isWithdrawn ? "off" : agreement.said;
  }

  #allows(agreement: Agreement): boolean {
    return !this.#isDisabled && !this.#isWithdrawn && agreement.allows;
  }

  get #day(): number {
    return Math.floor(this.#now() / DAY);
  }

  /** What some work gives; the error, if the app is strict; else what stands for it. */
  async #guarded<T>(otherwise: T | ((error: unknown) => T), work: () => Promise<T>, name = ""): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const isQuestion = this.survey.questions.some((question) => question.name === name);
      this.#counts.note(error, "unexpected", isQuestion ? name : "");
      if (this.#strict) throw error;
      return otherwise instanceof Function ? otherwise(error) : otherwise;
    }
  }

  async #transact<T>(needs: Needs, work: (desk: Desk) => T, durable = false, remembered?: readonly string[]): Promise<T> {
    const { result, lost } = await this.#desks.transact(needs, work, durable, remembered);
    for (const [reason, number] of lost) this.#counts.add(reason, number, `${number} at once`);
    return result;
  }

  /** For the sender: nothing, where nothing may be sent. What is sent is charged for, durably. */
  #sending<T>(needs: Needs, work: (outbox: Outbox) => T): Promise<T | undefined> {
    return this.#transact(needs, ({ agreement, outbox }) => {
      return !this.#isWithdrawn && agreement.sends ? work(outbox) : undefined;
    }, needs === "queue", SENDING);
  }
}
