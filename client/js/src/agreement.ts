/**
 * What a person said about a survey (`client/ldp_client/answering/consent.py`): nothing yet, no, or yes to these very terms.
 *
 * Yes is bound to what was agreed to: the terms, which are all that it may cost, and the texts of its questions. A version
 * with others was not agreed to: nothing is recorded for it until the person is asked again; what was recorded before may
 * still be sent. Yes is for one survey. No is for everything in a store. Everything is called in a transaction.
 */

import { hex } from "./bytes.js";
import { KINDS, NO_COLLECTOR, STATE } from "./scope.js";
import { digest } from "./sha256.js";
import type { Records } from "./store.js";
import type { Survey } from "./survey.js";

/** `other terms`: yes, but to another version. `unknown`: the store cannot be read. */
export type Said = "never asked" | "off" | "on" | "other terms" | "unknown";

const SIZE = 16;
const ALL = `${KINDS.consent}all`;
/** Is there once records were lost: what anyone may have said then is asked again. */
const LOST = `${STATE}lost`;

export class Agreement {
  readonly #key: string;

  /** `otherwise` is whether answers are recorded as long as no one was asked. */
  constructor(private readonly records: Records, private readonly survey: Survey, private readonly otherwise: boolean) {
    this.#key = KINDS.consent + NO_COLLECTOR.place(survey);
  }

  get said(): Said {
    const record = this.records.get(this.#key);
    if (record) return record[0] === agreedTo(this.survey) ? "on" : "other terms";
    return this.records.get(ALL) ? "off" : "never asked";
  }

  /** Whether answers may be recorded. */
  get allows(): boolean {
    const { said } = this;
    return said === "never asked" ? this.otherwise && !this.records.get(LOST) : said === "on";
  }

  /** Whether what waits may be sent: also what was agreed to before the terms changed. */
  get sends(): boolean {
    return this.said === "other terms" || this.allows;
  }

  keep(isAgreed: boolean): void {
    if (isAgreed) return this.records.put(this.#key, [agreedTo(this.survey)]);
    for (const key of this.records.keys(KINDS.consent)) this.records.delete(key);
    this.records.put(ALL, ["off"]);
  }
}

/** Drop records that are damaged, and with them all that was ever said. Whether there were any. */
export function recover(records: Records, day: number): boolean {
  records.sound(STATE);
  if (!records.spoilt.length) return false;
  for (const key of records.keys(KINDS.consent)) records.delete(key);
  note(records, "a part of what this device remembered was lost, maybe of this ledger too", day);
  records.put(LOST, [day]);
  return true;
}

/** Write into the ledger what it has to tell besides charges. */
export function note(records: Records, reason: string, day: number): void {
  const number = String(records.keys(KINDS.event).length).padStart(8, "0");
  records.put(KINDS.event + number, [reason, day]);
}

function agreedTo({ terms, questions }: Survey): string {
  const texts = questions.flatMap(({ name, text, fields = [] }) => (
    [name, text, String(fields.length), ...fields.map((field) => field.text)]
  ));
  return hex(digest(["ldp-consent-1", terms, ...texts], SIZE));
}
