/**
 * Where an embedded client keeps all that it remembers: texts under keys, changed in transactions. Bring your own by
 * implementing `Store`; it has to keep no rules but these.
 *
 * - A transaction reads, works and writes, and no other one (of another tab, thread or process either) comes in between.
 *   The work is no promise: it is given all that it may read and gives back all that it changes, at once, so that a store
 *   whose transactions end where something is awaited, as IndexedDB's do, has nothing to wait for.
 * - What a transaction changes is kept as a whole before its promise is fulfilled, or not at all; then it is rejected.
 *
 * Each text carries a checksum of itself and its key. What was changed by anything else is an error and no empty place:
 * forgetting what was spent would spend it twice.
 */

import { LDPError, StateError } from "./errors.js";

/** New texts by key; null where one is dropped. */
export type Changes = ReadonlyMap<string, string | null>;

export interface Store {
  /**
   * One transaction: `work` is given every text whose key begins with one of the prefixes, by key, and what it returns is
   * kept. It is called once, or again if an attempt before was taken back. What it throws rejects the promise, and nothing
   * is changed then.
   *
   * With `durable` all that was kept so far has to outlive a loss of power, where the platform lets a store say so;
   * without, it has to outlive the process.
   */
  transact(prefixes: readonly string[], work: (found: ReadonlyMap<string, string>) => Changes, durable: boolean): Promise<void>;
  /** Let go of what is open. A later transaction opens it again. */
  close?(): void;
  /** Whether nothing outlives the process: then nothing can come back from a backup either. */
  readonly forgets?: boolean;
}

/** What one record says: a list of texts, whole numbers, and nothing. */
export type Entry = readonly (string | number | null)[];

/** What a transaction reads and writes. */
export class Records {
  readonly changes = new Map<string, string | null>();
  /** How many reports were dropped, because they were damaged. */
  readonly spoilt: string[] = [];

  constructor(private readonly found: ReadonlyMap<string, string>) {}

  get(key: string): Entry | undefined {
    const text = this.changes.has(key) ? this.changes.get(key) : this.found.get(key);
    return text === null || text === undefined ? undefined : unsealed(key, text);
  }

  put(key: string, entry: Entry): void {
    this.changes.set(key, sealed(key, entry));
  }

  delete(key: string): void {
    if (this.found.has(key)) this.changes.set(key, null);
    else this.changes.delete(key);
  }

  /** How long the text of a record is, about: in bytes, where half of it is hexadecimal digits. */
  sizeOf(key: string): number {
    return (this.changes.get(key) ?? this.found.get(key) ?? "").length / 2;
  }

  /** How the text begins that a record begins with, sound or not. */
  beginningOf(key: string, size: number): string {
    return (this.changes.get(key) ?? this.found.get(key) ?? "").slice(SUM_SIZE + 2, SUM_SIZE + 2 + size);
  }

  /** The keys that begin with a prefix, in order. */
  keys(prefix: string): string[] {
    const fresh = [...this.changes.keys()].filter((key) => !this.found.has(key));
    const all = [...this.found.keys(), ...fresh].filter((key) => key.startsWith(prefix) && this.changes.get(key) !== null);
    return all.sort();
  }

  /** The records under these keys. Throws `StateError` for one that is damaged. */
  range(prefix: string): [string, Entry][] {
    return this.keys(prefix).map((key) => [key, this.get(key)!]);
  }

  /** The same, without those that are damaged. */
  sound(prefix: string): [string, Entry][] {
    return this.keys(prefix).flatMap((key): [string, Entry][] => {
      const entry = this.expendable(key);
      return entry ? [[key, entry]] : [];
    });
  }

  /** A record on which nothing else hangs: a damaged one is dropped, and noted. */
  expendable(key: string): Entry | undefined {
    try {
      return this.get(key);
    } catch {
      this.spoilt.push(key);
      this.delete(key);
      return undefined;
    }
  }
}

/** What some work on a store gives. Whatever the store itself throws becomes a `StateError`. */
export async function transact<T>(
  store: Store, prefixes: readonly string[], work: (records: Records) => T, durable = false,
): Promise<T> {
  let outcome: { readonly result: T } | undefined;
  let failure: { readonly error: unknown } | undefined;
  const once = (found: ReadonlyMap<string, string>): Changes => {
    [outcome, failure] = [undefined, undefined];
    try {
      const records = new Records(found);
      outcome = { result: work(records) };
      return records.changes;
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  try {
    await store.transact(prefixes, once, durable);
  } catch (error) {
    if (failure) throw failure.error;
    if (error instanceof LDPError) throw error;
    throw new StateError(`the store failed (${error instanceof Error ? error.name : typeof error}); nothing was changed`);
  }
  if (failure || !outcome) throw failure?.error ?? new StateError("expected a store that does the work it is given");
  return outcome.result;
}

/** Forgets when the page or process ends. */
export class MemoryStore implements Store {
  readonly forgets = true;
  readonly #texts = new Map<string, string>();

  async transact(prefixes: readonly string[], work: (found: ReadonlyMap<string, string>) => Changes): Promise<void> {
    const found = new Map<string, string>();
    for (const [key, text] of this.#texts) {
      if (prefixes.some((prefix) => key.startsWith(prefix))) found.set(key, text);
    }
    for (const [key, text] of work(found)) {
      if (text === null) this.#texts.delete(key);
      else this.#texts.set(key, text);
    }
  }
}

const SUM_SIZE = 8;

function sealed(key: string, entry: Entry): string {
  const content = JSON.stringify(entry);
  return sum(key, content) + content;
}

function unsealed(key: string, text: string): Entry {
  const content = text.slice(SUM_SIZE);
  if (text.slice(0, SUM_SIZE) !== sum(key, content)) {
    throw new StateError(
      "expected what this device remembers to be sound, found damage; it is left as it is, and nothing is reported",
    );
  }
  return JSON.parse(content) as Entry;
}

/** FNV-1a with 32 bits, of UTF-16 units: no change to one of them leaves it as it is. */
function sum(key: string, content: string): string {
  const text = `${key}\n${content}`;
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(SUM_SIZE, "0");
}
