/**
 * The store of a browser: pages, workers and service workers of an origin share it.
 *
 * One IndexedDB transaction for each of ours. The work is done while its last request is being answered, so that there is
 * no moment at which it could end by itself; others that write the same records wait for it, be they of other tabs. No
 * `navigator.locks` is needed.
 */

import { StateError } from "./errors.js";
import { KINDS } from "./scope.js";
import type { Changes, Store } from "./store.js";

const RECORDS = "records";
/** Follows every character that keys are made of. */
const LAST = "\uffff";
const PAGE = "addEventListener" in globalThis ? globalThis : undefined;

interface Row {
  readonly key: string;
  readonly text: string;
}

export class IndexedDBStore implements Store {
  #opened: Promise<IDBDatabase> | undefined;

  /** `name` is that of the database. */
  constructor(private readonly name = "ldp") {}

  async transact(
    prefixes: readonly string[], work: (found: ReadonlyMap<string, string>) => Changes, durable: boolean,
  ): Promise<void> {
    let database = await this.#database();
    let transaction: IDBTransaction;
    const begin = (): IDBTransaction =>
      database.transaction(RECORDS, "readwrite", { durability: durable ? "strict" : "relaxed" });
    try {
      transaction = begin();
    } catch {
      // The browser closed it, for another version or by itself.
      this.close();
      database = await this.#database();
      transaction = begin();
    }
    if (await worked(transaction, prefixes, work)) return;
    await new Promise((resolve) => addEventListener("pageshow", resolve, { once: true }));
    await this.transact(prefixes, work, durable);
  }

  close(): void {
    void this.#opened?.then((database) => database.close(), () => undefined);
    this.#opened = undefined;
  }

  #database(): Promise<IDBDatabase> {
    this.#opened ??= opened(this.name, () => (this.#opened = undefined)).catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }
}

/**
 * Whether the transaction was made: not if its page is put aside, to be shown again later, before the work could be done. It is
 * given up then, since one that waits for a page that stands still holds up all other tabs, as seen in WebKit.
 */
function worked(
  transaction: IDBTransaction, prefixes: readonly string[], work: (found: ReadonlyMap<string, string>) => Changes,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const records = transaction.objectStore(RECORDS);
    const found = new Map<string, string>();
    let [missing, failure]: [number, unknown] = [prefixes.length, undefined];
    const giveUp = ({ persisted }: PageTransitionEvent): void => {
      if (!persisted) return;
      transaction.onabort = () => resolve(false);
      transaction.abort();
    };
    PAGE?.addEventListener("pagehide", giveUp);
    const ended = (): void => PAGE?.removeEventListener("pagehide", giveUp);
    transaction.oncomplete = () => resolve(true);
    const failed = (): StateError => new StateError(`IndexedDB failed (${transaction.error?.name ?? "aborted"})`);
    transaction.onabort = () => {
      ended();
      reject(failure ?? failed());
    };
    const finish = (): void => {
      ended();
      try {
        for (const [key, text] of work(found)) {
          if (text === null) records.delete(key);
          else records.put({ key, text });
        }
        // What has been asked for needs no page any more, be it closed now or put aside.
        transaction.commit();
      } catch (error) {
        failure = error;
        transaction.abort();
      }
    };
    for (const prefix of prefixes) {
      const request: IDBRequest<Row[]> = records.getAll(IDBKeyRange.bound(prefix, prefix + LAST));
      request.onsuccess = () => {
        for (const { key, text } of request.result) found.set(key, text);
        missing -= 1;
        if (!missing) finish();
      };
    }
  });
}

function opened(name: string, closed: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = (event) => {
      const records = request.result.createObjectStore(RECORDS, { keyPath: "key" });
      // Chromium says that it found its files damaged, as kills may leave them, and threw them away. A store that is empty for
      // that reason is no new one: a damaged charge stands for all that was lost, until someone calls `recover`.
      if ((event as { readonly dataLoss?: string }).dataLoss === "total") records.put({ key: `${KINDS.charge}lost`, text: "" });
    };
    request.onerror = () => reject(new StateError(`IndexedDB cannot be opened (${request.error?.name ?? "unknown"})`));
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = closed;
      // Another tab deletes it, or has a later version of this program.
      database.onversionchange = () => {
        database.close();
        closed();
      };
      resolve(database);
    };
  });
}
