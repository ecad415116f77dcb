/**
 * What a person has agreed to: the terms of a survey, which is all that it may cost her, and the texts of its questions. A
 * version that asks for something else has to ask her again. Everything is called in a transaction.
 */

import { hex } from "./bytes.js";
import { KINDS, type Scope, STATE } from "./scope.js";
import { digest } from "./sha256.js";
import type { Records } from "./store.js";
import type { Survey } from "./survey.js";

/** Nothing was said yet, or nothing but about other terms; no; or yes. */
export type Consent = "never-asked" | "off" | "on";

const SIZE = 16;
/** Is there once records were lost: what anyone may have said then is asked again. */
const LOST = `${STATE}lost`;

export class Agreement {
  readonly #key: string;

  constructor(private readonly records: Records, private readonly survey: Survey, scope: Scope) {
    this.#key = KINDS.consent + scope.place(survey);
  }

  get state(): Consent {
    const [said, to] = this.records.get(this.#key) ?? [];
    if (said === "on") return to === agreedTo(this.survey) ? "on" : "never-asked";
    return said === "off" ? "off" : "never-asked";
  }

  /** Whether answers may be recorded, where `ifNeverAsked` holds as long as nothing was ever said. */
  allows(ifNeverAsked: boolean): boolean {
    const wasAsked = this.records.get(this.#key) !== undefined || this.records.get(LOST) !== undefined;
    return wasAsked ? this.state === "on" : ifNeverAsked;
  }

  /** Whether what was recorded may be sent: it was agreed to then, by whatever terms. */
  allowsSending(ifNeverAsked: boolean): boolean {
    return this.records.get(this.#key)?.[0] === "on" || this.allows(ifNeverAsked);
  }

  keep(said: "on" | "off"): void {
    this.records.put(this.#key, [said, agreedTo(this.survey)]);
  }

  /** Drop records that are damaged, and with them all that was ever said. Whether there were any. */
  static recover(records: Records, day: number): boolean {
    records.sound(STATE);
    if (!records.spoilt.length) return false;
    for (const key of records.keys(KINDS.consent)) records.delete(key);
    const number = String(records.keys(KINDS.event).length).padStart(8, "0");
    records.put(KINDS.event + number, ["a part of what this device remembered was lost, maybe of this ledger too", day]);
    records.put(LOST, [day]);
    return true;
  }
}

function agreedTo({ terms, questions }: Survey): string {
  const texts = questions.flatMap(({ name, text, fields = [] }) => [name, text, String(fields.length), ...fields.map((field) => field.text)]);
  return hex(digest(["ldp-agreed-1", terms, ...texts], SIZE));
}
