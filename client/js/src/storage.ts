/** Where a device keeps what it remembers: texts under keys. Bring your own by implementing `Storage`. */

export interface Storage {
  /** The text under a key; null if there is none. */
  get(key: string): string | null | Promise<string | null>;
  /** Keep a text under a key. It has to last once this returns. */
  set(key: string, text: string): void | Promise<void>;
  /** Do some work on a key while no one else does, be it in another tab or process. */
  exclusively<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Forgets when the page or process ends. */
export class MemoryStorage implements Storage {
  readonly #texts = new Map<string, string>();
  #last: Promise<unknown> = Promise.resolve();

  get(key: string): string | null {
    return this.#texts.get(key) ?? null;
  }

  set(key: string, text: string): void {
    this.#texts.set(key, text);
  }

  exclusively<T>(_key: string, work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** The browser's `localStorage`, which all tabs of an origin share. */
export class BrowserStorage implements Storage {
  get(key: string): string | null {
    return localStorage.getItem(key);
  }

  set(key: string, text: string): void {
    localStorage.setItem(key, text);
  }

  async exclusively<T>(key: string, work: () => Promise<T>): Promise<T> {
    return await navigator.locks.request(key, work);
  }
}
