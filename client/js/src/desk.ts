/** What there is in one transaction of an embedded client: the rules that hold, each over the records that it read. */

import { Account } from "./account.js";
import { Agreement } from "./agreement.js";
import { repeatable } from "./joint.js";
import { Outbox, QUEUES, type QueueLimits, planOf, queueOf } from "./outbox.js";
import type { Random } from "./randomness.js";
import type { Ratio } from "./ratio.js";
import { Respondent } from "./respondent.js";
import { KINDS, NO_COLLECTOR, STATE, type Scope, inherits, scopeOf } from "./scope.js";
import { type Records, type Store, transact } from "./store.js";
import type { Survey } from "./survey.js";
import type { Vault } from "./vault.js";

export interface Desk {
  readonly records: Records;
  readonly scope: Scope;
  readonly agreement: Agreement;
  readonly account: Account;
  readonly respondent: Respondent;
  readonly outbox: Outbox;
}

/** What is read besides what is remembered: when to send; and what waits, here, in all queues of the store, or under some keys. */
export type Needs = "plan" | "queue" | "everything" | { readonly under: string };

/** What sending needs of what is remembered: whether it may, and for whom; not what was spent and answered. */
export const SENDING = [KINDS.consent, KINDS.heir, KINDS.limit, `${STATE}age`, `${STATE}lost`];

interface Means {
  readonly store: Store;
  readonly survey: Survey;
  readonly own: Scope;
  readonly cap: Ratio | undefined;
  readonly limits: QueueLimits;
  readonly ifNeverAsked: boolean;
  readonly random: Random;
  readonly vault: Vault;
  readonly derives: boolean;
  readonly now: () => number;
}

export class Desks {
  readonly #own: string;
  readonly #orphaned: string;
  readonly #repeatable: ReadonlySet<string>;

  constructor(private readonly means: Means) {
    this.#own = means.own.place(means.survey);
    this.#orphaned = NO_COLLECTOR.place(means.survey);
    this.#repeatable = repeatable(means.survey);
  }

  /** What some work gives, and the reports that were dropped meanwhile. */
  async transact<T>(
    needs: Needs, work: (desk: Desk) => T, durable: boolean, remembered: readonly string[] = [STATE],
  ): Promise<{ result: T; lost: Outbox["lost"] }> {
    const queues = { plan: [], queue: [...new Set([this.#own, this.#orphaned])].map(queueOf), everything: [QUEUES] };
    const waiting = typeof needs === "object" ? [needs.under] : queues[needs];
    const prefixes = [...remembered, planOf(this.#own), ...waiting];
    return transact(this.means.store, prefixes, (records) => {
      const desk = this.#desk(records);
      return { result: work(desk), lost: desk.outbox.lost };
    }, durable);
  }

  #desk(records: Records): Desk {
    const { survey, own, cap, limits, ifNeverAsked, random, vault, derives, now } = this.means;
    // Under which scope a client keeps its records may be decided by another one meanwhile: it is asked each time.
    const scope = scopeOf(records, survey, own);
    const account = new Account(records, survey, scope, cap, now());
    const others = this.#own !== this.#orphaned && inherits(records, survey, own) ? [this.#orphaned] : [];
    return {
      records, scope, account,
      agreement: new Agreement(records, survey, ifNeverAsked),
      respondent: new Respondent(records, survey, scope, account, random, vault, derives),
      outbox: new Outbox(records, this.#own, others, limits, this.#repeatable, random, now()),
    };
  }
}
