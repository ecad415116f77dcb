/** How things stand with a client (`client/ldp_client/status.py`): one object, for people and programs. No answer is in it. */

import { CLOCK_WAS_SET } from "./outbox.js";
import type { Said } from "./agreement.js";
import type { Reason } from "./reasons.js";

export interface Status {
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
  readonly dropped: Partial<Record<Reason, number>>;
  /** What happened since the client was made. */
  readonly counts: Partial<Record<Reason, number>>;
  /** What to do, in sentences. */
  readonly advice: readonly string[];
}

const ABOUT: Readonly<Record<string, string>> = {
  "status 401": "The collector wants another token: give the client one that is valid.",
  "status 403": "The collector's token is for something else, or a firewall is in the way.",
  "status 404": "There is no collector at this address: look for a mistake in it.",
  "status 405": "There is no collector at this address: look for a mistake in it.",
  begun: "Nothing to do: the last attempt is under way, or the page was closed during it.",
  retry: "Nothing to do: the same bytes are sent again after the pause. A page of another origin needs ldp serve --allow-origin.",
  held: "Mend what turns the reports away; they are kept, and sent again within two hours.",
  offline: "Nothing to do: they are sent once there is a network.",
  quarantined: "Serve the version of the survey that this device answers: the collector keeps its reports for 30 days.",
  late: "Let the survey's grace be longer than devices are away, and look at this clock.",
  early: "Look at the device's clock, and at the collector's: one of them is wrong.",
  rejected: "Compare the survey of this app with the one that the collector serves.",
  refused: "The log of the collector says why it cannot take them.",
};

export type Facts = Omit<Status, "advice">;

/** What there is to say where the store cannot be read. */
export function unread(error: unknown, counts: Status["counts"]): Facts {
  const nothing = { waiting: undefined, elsewhere: 0, lastAttempt: undefined, outcome: "", reason: "", failures: 0, nextDue: undefined, pause: 0 };
  return { ...nothing, state: error instanceof Error ? error.message : "unknown", consent: "off", said: "unknown", dropped: {}, counts };
}

/** What to do about all else. */
export function adviceOn({ state, consent, waiting, elsewhere, lastAttempt, outcome, reason }: Facts, sends: boolean, now: number): string[] {
  if (state !== "sound") {
    return ["See that there is room and the store may be used. If it is damaged, recover() goes on without what was lost."];
  }
  return [
    consent === "off" && "Ask the person: nothing is recorded until setConsent(\"on\").",
    waiting && lastAttempt === undefined && now < CLOCK_WAS_SET &&
      "Set the device's clock: the collector has to be told in which epoch reports are sent.",
    waiting && !sends && "Name a collector: the reports wait for one.",
    elsewhere &&
      `${elsewhere} reports wait for other surveys or collectors: if this one's address was corrected, those of the old one wait ` +
        "for it, and are sent to no other.",
    ABOUT[reason], ABOUT[outcome],
  ].filter((sentence) => typeof sentence === "string");
}
