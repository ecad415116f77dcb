// A store such as an app brings, for tests: a journal, a line for each transaction. One process at a time.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";

export class FileStore {
  #texts = new Map();
  #path;

  constructor(path) {
    this.#path = path;
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    // What follows the last line break was cut short: it was never kept.
    if (whole.length < text.length) writeFileSync(path, whole);
    for (const line of whole.split("\n").slice(0, -1)) this.#keep(JSON.parse(line));
  }

  async transact(prefixes, work) {
    const found = [...this.#texts].filter(([key]) => prefixes.some((prefix) => key.startsWith(prefix)));
    const changes = [...work(new Map(found))];
    appendFileSync(this.#path, `${JSON.stringify(changes)}\n`);
    this.#keep(changes);
  }

  #keep(changes) {
    for (const [key, text] of changes) text === null ? this.#texts.delete(key) : this.#texts.set(key, text);
  }
}
