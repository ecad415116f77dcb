/** The device behind the page: the embedded client on the browser's store, and what it sent. */

import { EmbeddedClient } from "../src/embedding.js";
import { hex, utf8 } from "../src/bytes.js";
import { drawn, written } from "../src/draws.js";
import { IndexedDBStore } from "../src/indexeddb.js";
import { system } from "../src/randomness.js";
import { KINDS, STATE, Scope, scopeOf } from "../src/scope.js";
import { sha256 } from "../src/sha256.js";
import { type Store, transact } from "../src/store.js";
import type { Answer, Question, Survey } from "../src/survey.js";
import { HTTPTransport } from "../src/transport.js";
import { ForgetfulStore } from "./forgetful.js";
import { type Sent, witnessed } from "./sent.js";

/** The collector has it, or has taken it before. */
const TAKEN = new Set(["accepted", "duplicate", "quarantined"]);
/** It has decided nothing yet, as far as this page knows. */
const OPEN = new Set(["retry", "held", "offline"]);
/** What it says where it does not know a token, or not for this survey. */
const UNKNOWN = new Set(["status 401", "status 403"]);
/** Seconds. */
const PATIENCE = 30;
/** Milliseconds. */
const MOMENT = 250;
const TOKEN_DIGITS = 16;

export class Device {
  /** By question. */
  readonly sent = new Map<string, Sent>();
  readonly #client: EmbeddedClient;
  readonly #store: Store;
  readonly #own: Scope;

  /** Each token is a respondent of its own, so that several can use one browser. */
  constructor(readonly survey: Survey, readonly collector: string, token: string) {
    const transport = new HTTPTransport(collector, token ? { token } : {});
    const whose = token ? `-${hex(sha256(utf8(token))).slice(0, TOKEN_DIGITS)}` : "";
    this.#store = new ForgetfulStore(new IndexedDBStore(`ldp-respondent${whose}`));
    this.#own = new Scope(transport.destination);
    this.#client = new EmbeddedClient(survey, {
      store: this.#store, transport: witnessed(transport, survey, this.sent),
      consent: "off", interval: null, strict: true, log: () => undefined,
      // What is drawn comes from no secret: whoever had it, and the reports, could try every answer.
      rollbackSafe: false,
    });
  }

  /** Whether this browser has answered before. Throws where the store cannot be used. */
  async answered(): Promise<boolean> {
    const ledger = await this.#client.ledger();
    if (ledger.problem) throw new Error(ledger.problem);
    return ledger.charges.some(({ survey }) => survey === this.survey.name);
  }

  /**
   * The questions that are asked here: all, but of each draw those that the device answers. These are drawn now, before there is
   * any answer, and kept where the client looks for them.
   */
  asked(): Promise<readonly Question[]> {
    return transact(this.#store, [STATE], (records) => {
      const scope = scopeOf(records, this.survey, this.#own);
      return this.survey.questions.filter(({ name, draw }) => {
        if (!draw) return true;
        const key = KINDS.draw + scope.drawKey(this.survey, written(draw));
        const kept = records.get(key) ?? drawn(draw, system);
        records.put(key, kept);
        return kept.includes(name);
      });
    }, true);
  }

  /** Randomize all answers, once, and send what they became. Questions that are answered together are given together. */
  async answer(answers: ReadonlyMap<string, Answer>): Promise<void> {
    await this.#client.setConsent("on");
    const groups = this.survey.groups.filter((names) => names.every((name) => answers.has(name)));
    const grouped = new Set(groups.flat());
    for (const names of groups) {
      await this.#client.recordTogether(Object.fromEntries(names.map((name) => [name, answers.get(name)!])));
    }
    for (const [name, answer] of answers) if (!grouped.has(name)) await this.#client.record(name, answer);
    await this.send();
  }

  /** Send what waits, since a person asks for it. What another tab may be sending is given its time. */
  async send(): Promise<void> {
    const until = performance.now() + 1000 * PATIENCE;
    do await this.#client.flush(PATIENCE, true);
    while ((await this.#isUnderWay()) && performance.now() < until);
  }

  /** Whether an attempt has begun that has not ended; a moment later. */
  async #isUnderWay(): Promise<boolean> {
    const { waiting, outcome } = await this.#client.status();
    if (!waiting || outcome !== "begun") return false;
    await new Promise((resolve) => setTimeout(resolve, MOMENT));
    return true;
  }

  waiting(): Promise<number> {
    return this.#client.waiting();
  }

  /** How many of the reports that were sent the collector has. */
  get taken(): number {
    return [...this.sent.values()].filter(({ verdict }) => TAKEN.has(verdict)).length;
  }

  /** Whether it has taken none of them, and will not. */
  get isRefused(): boolean {
    return this.sent.size > 0 && !this.taken && !this.isOutOfSight;
  }

  /** Whether what became of some is not known here. If none waits any more, another tab has sent them, or they were cleared away. */
  get isOutOfSight(): boolean {
    return [...this.sent.values()].some(({ verdict }) => OPEN.has(verdict));
  }

  /** Whether the collector will take none of them, for the time that they bear. */
  get isOfAnotherTime(): boolean {
    return [...this.sent.values()].every(({ verdict }) => verdict === "late" || verdict === "early");
  }

  /** Whether it turned them away because of the token, or for want of one. */
  get isUnknown(): boolean {
    return [...this.sent.values()].some(({ verdict, reason }) => verdict === "held" && UNKNOWN.has(reason));
  }

  /** What the page says of itself: that it was shown, or that somebody began; nothing of who or what. */
  tell(step: "shown" | "started"): void {
    const place = `${this.collector}/v1/surveys/${encodeURIComponent(this.survey.name)}/${step}`;
    void fetch(place, { method: "POST", mode: "no-cors", credentials: "omit", keepalive: true }).catch(() => undefined);
  }
}
