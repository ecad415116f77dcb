/** How things stand with a client (`client/ldp_client/embedding/status.py`): one object, for people and programs. No answer is in it. */

import type { Said } from "./agreement.js";
import { questionsOf } from "./joint.js";
import type { Loss } from "./outbox.js";
import type { Reason } from "./reasons.js";
import type { Survey } from "./survey.js";

const QUARANTINED = "quarantined";
/** In place of the name of a question that this survey does not have. */
const OTHER = "another survey or version";
/** The last one that a date can be of, in milliseconds. */
const LAST_MOMENT = 8.64e15;

type Numbers = Partial<Record<Reason, number>>;

/** `String(status)` says all of it. */
export interface Status extends Told {}

interface Told {
  /** `sound`, or why the store cannot be used. */
  readonly state: string;
  /** Whether answers are recorded now, and what the person said. */
  readonly consent: "on" | "off";
  readonly said: Said;
  /** Reports that wait to be sent; undefined if that cannot be read. */
  readonly waiting: number | undefined;
  /** Those that wait for other surveys, or for collectors at other addresses. */
  readonly elsewhere: number;
  /** When something was last sent, by the device's clock, in milliseconds since 1970. */
  readonly lastAttempt: number | undefined;
  /** What became of it: a verdict, `begun`, or nothing; why, in a word or two; and how many failed in a row. */
  readonly outcome: string;
  readonly reason: string;
  readonly failures: number;
  /** Seconds until something is sent without `flush`; undefined if that is never. */
  readonly nextDue: number | undefined;
  /** Seconds in which nothing is sent, after what failed. */
  readonly pause: number;
  /** Reports that no collector will ever count, by reason, since the store was made. */
  readonly dropped: Numbers;
  /** The same by question, and then by reason. */
  readonly droppedFrom: Readonly<Record<string, Numbers>>;
  /** Reports that the collector keeps until it serves their version of the survey, as far as the device knows, since then. */
  readonly quarantined: number;
  /** What happened since the client was made. */
  readonly counts: Numbers;
  /** What to do, in sentences. */
  readonly advice: readonly string[];
}

/** What to do about an attempt, by its reason. */
const ABOUT: Readonly<Record<string, string>> = {
  "status 401": "The collector wants another token: give the client one that is valid.",
  "status 403": "The collector's token is for something else, or a firewall is in the way.",
  "status 404": "There is no collector at this address: look for a mistake in it.",
  "status 405": "There is no collector at this address: look for a mistake in it.",
  ENOTFOUND: "If there is a network, no one has the collector's address: look for a mistake in its name.",
  ECONNREFUSED: "No one listens at the collector's address: look for a mistake in its port, or start the collector.",
  "no answer in time": "No one answers at the collector's address: if that lasts, look for a mistake in its port, or a firewall.",
  TypeError: "What is in the way, browsers do not say: if that lasts, look for a mistake in the collector's address; a page of another " +
    "origin needs ldp serve --allow-origin.",
  CERT: "The collector's certificate is not for its address, has expired, or is vouched for by no one that this device knows: look at both.",
};
/** The same, by what became of it. */
const AFTER: Readonly<Record<string, string>> = {
  begun: "Nothing to do: the last attempt is under way, or the page was closed during it.",
  retry: "Nothing to do: the same bytes are sent again after the pause.",
  held: "Mend what turns the reports away; they are kept, and sent again within two hours.",
  offline: "Nothing to do: they are sent once there is a network.",
};
/** What to do about numbers that last. */
const LASTING: Readonly<Record<string, string>> = {
  late: "let the survey's grace be longer than devices are away, and look at this clock.",
  early: "look at the device's clock, and at the collector's: one of them is wrong.",
  rejected: "compare the survey of this app with the one that the collector serves.",
  refused: "the log of the collector says why it cannot take them.",
  "queue-full": "let more wait (limits), or record less while nothing can be sent.",
  "too-old": "let them wait for more days (limits), if apps are offline for longer.",
  quarantined: "serve the version of the survey that this device answers: the collector keeps its reports for 30 days.",
};

export class Status {
  constructor(told: Told) {
    Object.assign(this, told);
  }

  toString(): string {
    const { state, consent, said, waiting, elsewhere, lastAttempt, outcome, reason, nextDue, quarantined, counts, advice } = this;
    const why = reason ? ` (${reason})` : "";
    return [
      `Store: ${state}`,
      `Consent: ${consent} (the person said: ${said})`,
      `Waiting: ${waiting ?? "unknown"} reports${elsewhere ? `, and ${elsewhere} for other surveys or collectors` : ""}`,
      `Last attempt: ${lastAttempt === undefined ? "none" : `${dated(lastAttempt)}, ${outcome}${why}`}`,
      `Next upload: ${nextDue === undefined ? "at flush only" : nextDue ? `in ${nextDue.toFixed()} s` : "now"}`,
      `Dropped: ${listed(this.dropped, this.droppedFrom)}`,
      ...(quarantined ? [`Kept for a version to come: ${quarantined} quarantined`] : []),
      `Since this client was opened: ${listed(counts)}`,
      ...advice.map((sentence) => `To do: ${sentence}`),
    ].join("\n");
  }
}

export type Facts = Omit<Told, "advice">;

const NOTHING = {
  waiting: undefined, elsewhere: 0, lastAttempt: undefined, outcome: "", reason: "", failures: 0, nextDue: undefined, pause: 0,
  dropped: {}, droppedFrom: {}, quarantined: 0,
};

/** What there is to say where the store cannot be read. */
export function unread(error: unknown, counts: Numbers): Facts {
  return { ...NOTHING, state: error instanceof Error ? error.message : "unknown", consent: "off", said: "unknown", counts };
}

/** What was lost in all, by reason, and of which questions; and what the collector keeps for a version to come. */
export function summed(survey: Survey, losses: readonly Loss[]): Pick<Facts, "dropped" | "droppedFrom" | "quarantined"> {
  const dropped: Record<string, number> = {};
  const droppedFrom: Record<string, Record<string, number>> = {};
  const add = (numbers: Record<string, number>, reason: string, number: number): void => {
    numbers[reason] = (numbers[reason] ?? 0) + number;
  };
  for (const [reason, fingerprint, number] of losses) {
    add(dropped, reason, number);
    if (!fingerprint || reason === QUARANTINED) continue;
    const name = questionsOf(fingerprint, survey).map((question) => question.name).join("+");
    add((droppedFrom[name || OTHER] ??= {}), reason, number);
  }
  const { [QUARANTINED]: quarantined = 0, ...lost } = dropped;
  return { dropped: lost, droppedFrom, quarantined };
}

/** What to do. `sends` says whether there is a transport; `waitsForClock`, whether the survey has epochs and the clock was never set. */
export function adviceOn(told: Facts, sends: boolean, waitsForClock: boolean): string[] {
  const { state, consent, waiting, elsewhere, lastAttempt, outcome, reason, quarantined } = told;
  if (state !== "sound") {
    return ["See that there is room and the store may be used. If it is damaged, recover() goes on without what was lost."];
  }
  const hint = ABOUT[reason] ?? (/CERT|SIGNATURE/.test(reason) ? ABOUT["CERT"] : undefined);
  const isMended = hint !== undefined && (outcome === "retry" || outcome === "offline");
  const running: Readonly<Record<string, number>> = { ...told.dropped, quarantined };
  return [
    consent === "off" && "Ask the person: nothing is recorded until setConsent(\"on\").",
    waiting && lastAttempt === undefined && waitsForClock &&
      "Set the device's clock: the collector has to be told in which epoch reports are sent.",
    waiting && !sends && "Name a collector: the reports wait for one.",
    elsewhere &&
      `${elsewhere} reports wait for other surveys or collectors: if this one's address was corrected, those of the old one wait ` +
        "for it, and are sent to no other.",
    hint, !isMended && AFTER[outcome],
    ...Object.entries(LASTING).map(([why, words]) => running[why] && `${running[why]} reports, ${why}: ${words}`),
  ].filter((sentence) => typeof sentence === "string");
}

function listed(numbers: Numbers, from: Status["droppedFrom"] = {}): string {
  const texts = Object.entries(numbers).map(([reason, number]) => {
    const of = Object.entries(from).flatMap(([name, by]) => (by[reason as Reason] ? [`${by[reason as Reason]} of ${name}`] : []));
    return `${number} ${reason}${of.length ? ` (${of.join(", ")})` : ""}`;
  });
  return texts.join(", ") || "nothing";
}

function dated(at: number): string {
  // By a clock that is out of its mind there is no date.
  if (Math.abs(at) > LAST_MOMENT) return `${at / 1000} s since 1970`;
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
