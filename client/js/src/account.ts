/**
 * What a device has spent on a survey, and may still spend (`client/ldp_client/answering/budget.py`; the limits are in `budget.ts`).
 *
 * A charge is kept for each report, or for each value whose permanent response is kept. All that a question may ever be
 * charged is set aside when it is answered first, so that no stop tells what was answered. Nothing is taken back: what is
 * set aside when responses are erased stays so.
 *
 * Everything is called in a transaction, and before there is a report.
 */

import { MOST, affordable, askedFor, chargeable, usualCap } from "./budget.js";
import { AlreadyAnsweredError } from "./errors.js";
import { type Ratio, product, power, read, roundedUp, smaller, within, written } from "./ratio.js";
import { KINDS, type Scope } from "./scope.js";
import type { Entry, Records } from "./store.js";
import type { Question, Survey } from "./survey.js";

const NOTHING: Ratio = [1n, 1n];
const ALL = `${KINDS.limit}all`;
const DAY = 86_400_000;

/** A charge as it is kept: survey, question, ratio, collector, day. */
export type ChargeEntry = readonly [survey: string, question: string, ratio: string, collector: string, day: number];
/** What is set aside: survey, question, ratio, collector, charges that are left, and of how many. */
type AsideEntry = readonly [survey: string, question: string, ratio: string, collector: string, left: number, number: number];

export class Account {
  readonly #place: string;

  /** `cap` is the most that all surveys in a store may spend together, where the app says so. */
  constructor(
    private readonly records: Records, private readonly survey: Survey, private readonly scope: Scope,
    private readonly cap: Ratio | undefined, private readonly now: number,
  ) {
    this.#place = KINDS.limit + scope.place(survey);
  }

  /** Spend the price of a question that is answered once. Throws `AlreadyAnsweredError` or `BudgetError`. */
  chargeOnce(question: Question): void {
    if (this.answered(question)) {
      throw new AlreadyAnsweredError(
        `question ${question.name} was answered on this device before, and one report spends its whole epsilon`,
      );
    }
    this.#affordable(question);
    this.#charge(question);
  }

  /** Spend a charge for one more permanent response; false if none is left of those set aside. Throws `BudgetError`. */
  chargeValue(question: Question): boolean {
    const key = KINDS.aside + this.scope.key(question);
    const record = this.records.get(key) as AsideEntry | undefined;
    const number = record?.[5] ?? this.#affordable(question);
    const left = record?.[4] ?? number;
    if (!left) return false;
    const entry: AsideEntry = [...this.#named(question), left - 1, number];
    this.records.put(key, entry);
    this.#charge(question);
    return true;
  }

  answered(question: Question): boolean {
    return this.records.get(`${KINDS.charge}${this.scope.key(question)}/0000`) !== undefined;
  }

  /** The person has agreed to this version: the survey may spend what it asks for. */
  agree(): void {
    if (this.records.get(this.#place)?.[3] !== this.survey.terms) this.#agreeAnew(this.#spent()[0]);
  }

  #named({ name, price }: Question): [string, string, string, string] {
    return [this.survey.name, name, written(price), this.scope.collector];
  }

  #charge(question: Question): void {
    const key = `${KINDS.charge}${this.scope.key(question)}/`;
    const entry: ChargeEntry = [...this.#named(question), Math.floor(this.now / DAY)];
    this.records.put(key + String(this.records.keys(key).length).padStart(4, "0"), entry);
  }

  /** How many charges may be set aside for a question that was not answered. Throws `BudgetError` if none may. */
  #affordable(question: Question): number {
    const [own, named, all] = this.#spent();
    const agreed = this.#agreed(own);
    const cap = this.cap ?? this.#usualCap();
    const limits = [
      { most: agreed, spent: own }, { most: this.survey.lifetime ?? cap, spent: named }, { most: cap, spent: all },
    ];
    return affordable(question, question.charges > 1 ? this.#unanswered(question) : [], limits);
  }

  /** Those that may still be charged for, beside one: of a draw, as many as are left of it. */
  #unanswered(beside?: Question): Question[] {
    const answered = this.survey.questions.filter((question) => question === beside || this.answered(question));
    const others = this.survey.questions.filter((question) => !answered.includes(question) && question.answerable);
    return chargeable(others, answered);
  }

  /** What was charged or is set aside: on the survey for this collector, for any, and in all. */
  #spent(): [own: Ratio, named: Ratio, all: Ratio] {
    const own: Ratio[] = [];
    const named: Ratio[] = [];
    const all: Ratio[] = [];
    const count = ([survey, , ratio, collector]: Entry, charges: number): void => {
      const spent = power(read(ratio as string), charges);
      all.push(spent);
      if (survey !== this.survey.name) return;
      named.push(spent);
      if (collector === this.scope.collector) own.push(spent);
    };
    for (const [, entry] of this.records.range(KINDS.charge)) count(entry, 1);
    for (const [, entry] of this.records.range(KINDS.aside)) count(entry, entry[4] as number);
    return [product(own), product(named), product(all)];
  }

  #agreed(own: Ratio): Ratio {
    const { lifetime } = this.survey;
    const record = this.records.get(this.#place);
    const most = record && read(record[0] as string);
    return most && (!lifetime || within(most, lifetime)) ? most : this.#agreeAnew(own);
  }

  #agreeAnew(own: Ratio): Ratio {
    const most = askedFor(this.survey.lifetime, own, this.#unanswered());
    this.records.put(this.#place, [written(most), this.survey.name, this.scope.collector, this.survey.terms]);
    return most;
  }

  #usualCap(): Ratio {
    const record = this.records.get(ALL);
    if (record) return read(record[0] as string);
    const { lifetime, questions } = this.survey;
    // Not what it merely says that it might: a survey could say anything.
    const charges = askedFor(undefined, NOTHING, questions);
    const cap = usualCap(lifetime ? smaller(charges, lifetime) : charges);
    this.records.put(ALL, [written(cap)]);
    return cap;
  }
}

/** As much may be set aside again for what is to be answered anew; what was, stays so for good. */
export function renew(records: Records): void {
  const all = records.range(KINDS.aside) as [string, AsideEntry][];
  const open = all.filter(([key]) => !key.slice(KINDS.aside.length).includes("/"));
  for (const [place, limit] of records.range(KINDS.limit).filter(([key]) => key !== ALL)) {
    const own = open.filter(([, [survey, , , collector]]) => survey === limit[1] && collector === limit[2]);
    const again = product(own.map(([, [, , ratio, , , number]]) => power(read(ratio), number)));
    const most = roundedUp(product([read(limit[0] as string), again]));
    records.put(place, [written(smaller(most, MOST)), ...limit.slice(1)]);
  }
  for (const [key, entry] of open) {
    records.delete(key);
    records.put(`${key}/${all.filter(([closed]) => closed.startsWith(`${key}/`)).length}`, entry);
  }
}
