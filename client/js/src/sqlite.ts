/**
 * The store of a program that runs on Node or in Electron's main process: one SQLite file, by the library that Node has
 * since 22.5. Where there is none, it is refused: bring a `Store` of your own then.
 *
 * Processes that share a file wait for one another. A transaction outlives its process; a durable one, and all before it,
 * a loss of power. Only the owner may read the file, and what is deleted is overwritten.
 */

import { StateError } from "./errors.js";
import type { Changes, Store } from "./store.js";

interface Statement {
  run(...values: string[]): unknown;
  all(...values: string[]): unknown[];
}

interface Database {
  exec(statements: string): void;
  prepare(statement: string): Statement;
  close(): void;
}

interface Builtins {
  "node:sqlite": { readonly DatabaseSync: new (path: string) => Database } | undefined;
  "node:fs": { openSync(path: string, flags: string, mode: number): number; closeSync(file: number): void };
}

/** Milliseconds that a transaction waits for those of other processes in all, and between two attempts. */
const PATIENCE = 30_000;
const PAUSE = 20;
const BUSY = new Set([5, 6]);

const SCHEMA = `
PRAGMA journal_mode = WAL;
PRAGMA secure_delete = ON;
CREATE TABLE IF NOT EXISTS records (key TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
`;

export class SQLiteStore implements Store {
  readonly #library: NonNullable<Builtins["node:sqlite"]>;
  #database: Database | undefined;
  /** Of the database that is open: they take longer to prepare than to run. */
  #statements: Readonly<Record<"find" | "drop" | "keep", Statement>> | undefined;

  /** Of the file at a path, which is made if there is none. Throws `StateError` where Node has no SQLite. */
  constructor(private readonly path: string) {
    const library = builtin("node:sqlite");
    if (!library) {
      throw new StateError(
        "expected Node 22.5 or later, which has SQLite; upgrade, or pass a store of your own, as the README describes",
      );
    }
    this.#library = library;
  }

  async transact(
    prefixes: readonly string[], work: (found: ReadonlyMap<string, string>) => Changes, durable: boolean,
  ): Promise<void> {
    const until = Date.now() + PATIENCE;
    for (;;) {
      try {
        return this.#attempt(prefixes, work, durable);
      } catch (error) {
        if (!BUSY.has(codeOf(error)) || Date.now() > until) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }

  close(): void {
    this.#database?.close();
    this.#database = this.#statements = undefined;
  }

  #attempt(
    prefixes: readonly string[], work: (found: ReadonlyMap<string, string>) => Changes, durable: boolean,
  ): void {
    const database = (this.#database ??= this.#opened());
    // With FULL a commit syncs the log, and with it what was written there before.
    database.exec(`PRAGMA synchronous = ${durable ? "FULL" : "NORMAL"}; BEGIN IMMEDIATE`);
    try {
      const { find, drop, keep } = (this.#statements ??= prepared(database));
      const rows = prefixes.flatMap((prefix) => find.all(prefix, `${prefix}\uffff`)) as { key: string; text: string }[];
      for (const [key, text] of work(new Map(rows.map((row) => [row.key, row.text])))) {
        if (text === null) drop.run(key);
        else keep.run(key, text);
      }
      database.exec("COMMIT");
    } catch (error) {
      try {
        database.exec("ROLLBACK");
      } catch {
        // What a failing disk left open is taken back with the connection.
        this.close();
      }
      throw error;
    }
  }

  #opened(): Database {
    const files = builtin("node:fs");
    files.closeSync(files.openSync(this.path, "a", 0o600));
    const database = new this.#library.DatabaseSync(this.path);
    try {
      database.exec(SCHEMA);
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  }
}

function prepared(database: Database): Readonly<Record<"find" | "drop" | "keep", Statement>> {
  return {
    find: database.prepare("SELECT key, text FROM records WHERE key >= ? AND key < ?"),
    drop: database.prepare("DELETE FROM records WHERE key = ?"),
    keep: database.prepare("INSERT OR REPLACE INTO records VALUES (?, ?)"),
  };
}

/** A module of Node's own, asked for in such a way that no bundler for browsers looks for it. */
function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return process?.getBuiltinModule?.(name) as Builtins[Name];
}

function codeOf(error: unknown): number {
  return Number((error as { errcode?: unknown } | null)?.errcode) & 0xff;
}
