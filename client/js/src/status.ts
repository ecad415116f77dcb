/** What a client says about itself, to the people who look after an app. There is no answer in it. */

import type { Consent } from "./agreement.js";
import type { Reason } from "./counts.js";
import type { Attempt } from "./outbox.js";

export interface Status {
  /** `sound`, or why the store cannot be used. */
  readonly state: string;
  readonly consent: Consent | undefined;
  /** How many reports wait to be sent. */
  readonly waiting: number | undefined;
  /** When the last attempt to send began, in milliseconds since 1970, what came of it, and how many failed in a row. */
  readonly lastAttempt: Attempt | undefined;
  /** In how many seconds the next upload is due; undefined where only `flush` sends. */
  readonly nextDue: number | undefined;
  /** For how many seconds nothing is sent, after what failed. */
  readonly pause: number;
  /** Reports that were dropped since the store was made, by reason. */
  readonly dropped: Partial<Record<Reason, number>>;
  /** What happened since the client was made. */
  readonly counts: Partial<Record<Reason, number>>;
  /** What to do, in a sentence. */
  readonly advice: string;
}

/** What to do about all else. */
export function adviceOn({ state, consent, waiting, lastAttempt, pause, dropped }: Omit<Status, "advice">): string {
  if (state !== "sound") {
    return "Nothing is recorded or sent. If this lasts and something is damaged, recover() goes on without what was lost, and people are asked again.";
  }
  if (consent === "off") return "The person does not agree: nothing is recorded or sent.";
  const outcome = lastAttempt?.outcome ?? "";
  if (outcome.startsWith("held")) return `The collector refuses: look at its address and token (${outcome}). What waits is kept, and tried again.`;
  if (outcome.startsWith("refused")) return `The collector says that it can never take what was sent (${outcome}): this is for who looks after the app.`;
  if (waiting && pause) return `The last attempt failed (${outcome}); the next one is in ${Math.ceil(pause)} seconds at the earliest.`;
  if (waiting) return "Reports wait for the next upload.";
  const lost = Object.values(dropped).reduce((sum, number) => sum + number, 0);
  return lost ? `Nothing waits; ${lost} reports were dropped so far.` : "Nothing is to be done.";
}
