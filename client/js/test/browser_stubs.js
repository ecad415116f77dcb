// A browser's storage and locks, for laws that run in Node.

import { BrowserStorage } from "../dist/index.js";

const texts = new Map();
const waiting = new Map();

const localStorage = {
  getItem: (key) => texts.get(key) ?? null,
  setItem: (key, text) => texts.set(key, text),
};

const locks = {
  request: (key, work) => {
    const turn = (waiting.get(key) ?? Promise.resolve()).then(() => work());
    waiting.set(key, turn.catch(() => undefined));
    return turn;
  },
};

for (const [name, value] of Object.entries({ localStorage, navigator: { locks } })) {
  Object.defineProperty(globalThis, name, { value, configurable: true });
}

/** A `BrowserStorage` of a browser that is new. */
export function browserStorage() {
  texts.clear();
  return new BrowserStorage();
}
