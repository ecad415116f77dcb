/**
 * Whose a record is (`client/ldp_client/keeping/scope.py`, `adoption.py`): what a device keeps for one collector is of no use to
 * another, not even if both ask the same.
 *
 * What was recorded before an app knew where to send has an heir, for good: the first collector of the survey. It gets the
 * reports that wait for no one, so what they cost counts for it as well; from then on all that is recorded without a
 * collector is recorded for this one.
 */

import { blake2b } from "./blake2b.js";
import { type Bytes, hex } from "./bytes.js";
import { digest, netstrings } from "./sha256.js";
import type { Records } from "./store.js";
import type { Question, Survey } from "./survey.js";

/** The prefix of all that is remembered, but for what waits to be sent. */
export const STATE = "s/";

/** Kinds of records, as the beginnings of their keys. */
export const KINDS = {
  charge: "s/charge/", aside: "s/aside/", event: "s/event/", limit: "s/limit/", heir: "s/heir/", consent: "s/consent/",
  secret: "s/secret/", cohort: "s/cohort/", permanent: "s/permanent/", last: "s/last/", draw: "s/draw/",
  daily: "s/daily/",
} as const;

const OWNER_SIZE = 8;

/** A collector, by its address or name; nothing where there is none yet. */
export class Scope {
  readonly #place: string;
  #owner: Bytes | undefined;

  constructor(readonly collector: string) {
    this.#place = short(collector);
  }

  /** What the keys of a question's records have in common. */
  key(question: Question | string): string {
    return `${typeof question === "string" ? question : question.fingerprint}${this.#place}`;
  }

  /** The key of a survey's records, and of its queue. */
  place(survey: Survey): string {
    return short(survey.name, this.collector);
  }

  drawKey(survey: Survey, draw: string): string {
    return short(survey.name, draw, this.collector);
  }

  /** What stands for the collector in tapes and hashes, as in the Python client's. */
  get owner(): Bytes {
    return (this.#owner ??= named(this.collector));
  }

  /** The same for a draw. */
  drawPart(survey: Survey, draw: string): Bytes {
    return named(survey.name, draw, this.collector);
  }
}

export const NO_COLLECTOR = new Scope("");

/** The scope of a client, whose own this is; a first collector becomes the heir now. */
export function scopeOf(records: Records, survey: Survey, own: Scope): Scope {
  const [heir, shared] = heirOf(records, survey, own);
  return own.collector === "" || own.collector === heir ? new Scope(shared) : own;
}

/** Whether what waits for no collector in particular is this one's to send. */
export function inherits(records: Records, survey: Survey, own: Scope): boolean {
  return own.collector === "" || own.collector === heirOf(records, survey, own)[0];
}

function heirOf(records: Records, survey: Survey, own: Scope): readonly [heir: string, shared: string] {
  const place = NO_COLLECTOR.place(survey);
  const record = records.get(KINDS.heir + place) as [string, string] | undefined;
  if (record) return record;
  if (own.collector === "") return ["", ""];
  // Where nothing was recorded for no one, there is nothing to share.
  const shared = records.get(KINDS.limit + place) ? "" : own.collector;
  records.put(KINDS.heir + place, [own.collector, shared]);
  return [own.collector, shared];
}

function short(...names: readonly string[]): string {
  return hex(digest(names, OWNER_SIZE));
}

function named(...names: readonly string[]): Bytes {
  return blake2b(netstrings(names), OWNER_SIZE);
}
