/**
 * A store that forgets, with the page, all by which a report could be traced back to its answer.
 *
 * An app keeps a secret, and the permanent responses under it, since it asks again. A page asks once, often in a browser that
 * others use as well: a classroom's, a clinic's. Whoever has the browser's store there, and the reports, could try every answer
 * against them. So these records are never given to the store beneath; that has the ledger, and reports that wait.
 */

import { KINDS } from "../src/scope.js";
import type { Changes, Store } from "../src/store.js";

const FORGOTTEN = [KINDS.secret, KINDS.cohort, KINDS.permanent, KINDS.last];

export class ForgetfulStore implements Store {
  readonly #texts = new Map<string, string>();

  constructor(private readonly beneath: Store) {}

  async transact(
    prefixes: readonly string[], work: (found: ReadonlyMap<string, string>) => Changes, durable: boolean,
  ): Promise<void> {
    let own: [string, string | null][] = [];
    await this.beneath.transact(prefixes, (found) => {
      const held = [...this.#texts].filter(([key]) => prefixes.some((prefix) => key.startsWith(prefix)));
      const changes = [...work(new Map([...found, ...held]))];
      own = changes.filter(([key]) => isForgotten(key));
      return new Map(changes.filter(([key]) => !isForgotten(key)));
    }, durable);
    for (const [key, text] of own) {
      if (text === null) this.#texts.delete(key);
      else this.#texts.set(key, text);
    }
  }

  close(): void {
    this.beneath.close?.();
  }
}

function isForgotten(key: string): boolean {
  return FORGOTTEN.some((kind) => key.startsWith(kind));
}
