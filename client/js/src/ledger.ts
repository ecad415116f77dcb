/**
 * The privacy loss of a device (`client/ldp_client/answering/ledger.py`), for people who ask what their app has told of them.
 *
 * Charges multiply, as epsilons add up; they are never taken back. What is set aside for answers that may still change is
 * no charge, but counts as one where a limit is compared.
 */

import type { ChargeEntry } from "./account.js";
import { type Ratio, logUpper, power, product, read, within } from "./ratio.js";
import { KINDS } from "./scope.js";
import type { Records } from "./store.js";

const DAY = 86_400_000;
const FINGERPRINT_DIGITS = 32;
const DIGITS = 6;
const MOST_PLACES = 12;

/** What one report cost, or one value whose permanent response is kept. Days count from the first of 1970 (UTC). */
export interface Charge {
  readonly survey: string;
  readonly question: string;
  readonly fingerprint: string;
  readonly collector: string;
  readonly day: number;
  readonly ratio: Ratio;
}

export class Ledger {
  /** With the days on which responses were erased, and why; and the ratio that is set aside. */
  constructor(
    readonly charges: readonly Charge[], readonly events: readonly (readonly [reason: string, day: number])[],
    readonly aside: Ratio,
    /** Why it cannot be read; empty if it can. */
    readonly problem = "",
  ) {}

  static read(records: Records): Ledger {
    const charges = records.range(KINDS.charge).map(([key, entry]) => {
      const [survey, question, ratio, collector, day] = entry as ChargeEntry;
      const fingerprint = key.slice(KINDS.charge.length).slice(0, FINGERPRINT_DIGITS);
      return { survey, question, fingerprint, collector, day, ratio: read(ratio) };
    });
    const events = records.range(KINDS.event).map(([, entry]) => entry as [string, number]);
    const aside = records.range(KINDS.aside).map(([, entry]) => power(read(entry[2] as string), entry[4] as number));
    return new Ledger(charges, events, product(aside));
  }

  /** What was spent in all, or of it what was on one survey, one question or one day, as an epsilon, rounded up. */
  epsilon(of: { readonly survey?: string; readonly question?: string; readonly day?: number } = {}): number {
    const wanted = Object.entries(of) as [keyof typeof of, string | number][];
    const charges = this.charges.filter((charge) => wanted.every(([part, value]) => charge[part] === value));
    return logUpper(product(charges.map(({ ratio }) => ratio)));
  }

  toString(): string {
    if (this.problem) return `What this device has spent cannot be read: ${this.problem}.`;
    if (!this.charges.length && !this.events.length) return "Nothing was spent: this device has made no report yet.";
    const distinct = <T>(of: (charge: Charge) => T): T[] => [...new Set(this.charges.map(of))];
    const surveys = distinct(({ survey }) => survey).flatMap((survey) => {
      const names = new Set(this.charges.filter((charge) => charge.survey === survey).map(({ question }) => question));
      const lines = [...names].map((name) => this.#line(survey, name));
      return [`Survey ${survey}: epsilon ${shown(this.epsilon({ survey }))}`, ...lines];
    });
    const days = distinct(({ day }) => day).sort((one, other) => one - other);
    const aside = logUpper(this.aside);
    return [
      `Spent on this device, ever: epsilon ${shown(this.epsilon())}`,
      "  Anyone who thought anything about its user 50 % likely, and sees all that was and will be sent for this, may come to " +
        `think it ${percentBelow(product(this.charges.map(({ ratio }) => ratio)))}% likely, at most.`,
      ...(this.#mayChange ? ["  When an answer changed, or that it did not, may show beyond that."] : []),
      ...surveys,
      ...(aside ? [`Set aside, whether or not answers change: epsilon ${shown(aside)}`] : []),
      "By day:",
      ...days.map((day) => `  ${dated(day)}: epsilon ${shown(this.epsilon({ day }))}`),
      ...this.events.map(([reason, day]) => `On ${dated(day)} ${reason}: what is answered from then on is charged anew`),
    ].join("\n");
  }

  /** Whether some question has several permanent responses, or may come to have them. */
  get #mayChange(): boolean {
    const questions = this.charges.map(({ fingerprint, collector }) => `${fingerprint} ${collector}`);
    return !within(this.aside, [1n, 1n]) || new Set(questions).size < questions.length;
  }

  #line(survey: string, question: string): string {
    const charges = this.charges.filter((charge) => charge.survey === survey && charge.question === question);
    const times = charges.length === 1 ? "charged once" : `charged ${charges.length} times`;
    const versions = new Set(charges.map(({ fingerprint }) => fingerprint)).size;
    const changed = versions > 1 ? `, its parameters having changed ${versions - 1} times` : "";
    return `  ${question}: epsilon ${shown(this.epsilon({ survey, question }))}, ${times}${changed}`;
  }
}

/** What may be thought at most, after that ratio, that was thought 50 % likely: in percent, rounded up, and below 100. */
function percentBelow([top, bottom]: Ratio): string {
  const whole = top + bottom;
  for (let places = 1; ; places += 1) {
    const unit = 10n ** BigInt(places);
    const parts = (100n * unit * top + whole - 1n) / whole;
    if (parts < 100n * unit || places === MOST_PLACES) return `${parts / unit}.${String(parts % unit).padStart(places, "0")}`;
  }
}

/** An epsilon with its last digit rounded up. */
export function shown(epsilon: number): string {
  return (Math.ceil(epsilon * 10 ** DIGITS) / 10 ** DIGITS).toFixed(DIGITS);
}

function dated(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}
