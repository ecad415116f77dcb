/**
 * How a device's secret is kept (`client/ldp_client/keeping/vault.py`): as it is, or sealed under a key that the platform keeps.
 *
 * Whoever reads a store can test guesses at memoized answers against it, since the secret is in it. Sealed, it is of no use
 * without what the app hands over. That is asked for before a transaction, as none waits for anything; it is never written
 * down, and asked for again until it can be had. Another one than a secret was sealed with, or none, is noticed: nothing is
 * reported then, until it is back or someone begins with a new secret (`rotate`).
 */

import { blake2b } from "./blake2b.js";
import { type Bytes, fromHex, hex } from "./bytes.js";
import { StateError } from "./errors.js";
import { type Random, bytesFrom } from "./randomness.js";
import type { Entry } from "./store.js";
import { SECRET_SIZE } from "./tapes.js";

/** What an app hands over: at least 16 bytes, or a function that fetches them. */
export type Handed = Uint8Array | (() => Uint8Array | Promise<Uint8Array>);

const LEAST = 16;
const [KEY_SIZE, NONCE_SIZE, CHECK_SIZE] = [64, 16, 8];
const PADS = "ldp-vault-1";

export class Vault {
  #key: Bytes | undefined;

  /** Throws `RangeError` for too few bytes. */
  constructor(private readonly handed?: Handed) {
    if (handed instanceof Uint8Array && handed.length < LEAST) throw new RangeError(`expected a secret of at least ${LEAST} bytes`);
  }

  /** Have what the app hands over. Called before a transaction in which the secret may be needed. Throws `StateError`. */
  async fetch(): Promise<void> {
    const { handed } = this;
    if (!handed || this.#key) return;
    let bytes: unknown = handed;
    try {
      if (handed instanceof Function) bytes = await handed();
    } catch (error) {
      // An app's own function may say whatever it likes; a message of its could tell the secret.
      throw new StateError(`expected a secret from the app's function, got ${error instanceof Error ? error.name : typeof error}`);
    }
    if (!(bytes instanceof Uint8Array) || bytes.length < LEAST) {
      throw new StateError(`expected a secret of at least ${LEAST} bytes from the app's function, got something else`);
    }
    this.#key = blake2b(bytes, KEY_SIZE);
  }

  /** The record of a secret. */
  sealed(secret: Bytes, random: Random): Entry {
    if (!this.handed) return [hex(secret)];
    const nonce = bytesFrom(random, NONCE_SIZE);
    const [pad, check] = this.#pad(nonce);
    return [nonce, combined(secret, pad), check].map(hex);
  }

  /** The secret of a record. Throws `StateError` if it was sealed with something else. */
  opened(entry: Entry): Bytes {
    const [first, secret, check] = entry.map((part) => fromHex(part as string)) as [Bytes, Bytes?, Bytes?];
    if (!secret) return first;
    if (this.handed) {
      const [pad, expected] = this.#pad(first);
      if (hex(check!) === hex(expected)) return combined(secret, pad);
    }
    throw new StateError(
      `expected the secret that this device's own was sealed with, got ${this.handed ? "another" : "none"}; nothing is reported ` +
        "until it is back, or `rotate` begins with a new one",
    );
  }

  /** Whether a record holds a secret as it is, which could be sealed. */
  wouldSeal(entry: Entry): boolean {
    return entry.length === 1 && this.handed !== undefined;
  }

  #pad(nonce: Bytes): [pad: Bytes, check: Bytes] {
    const drawn = blake2b(nonce, SECRET_SIZE + CHECK_SIZE, this.#key, PADS);
    return [drawn.slice(0, SECRET_SIZE), drawn.slice(SECRET_SIZE)];
  }
}

function combined(one: Bytes, other: Bytes): Bytes {
  return one.map((byte, at) => byte ^ other[at]!);
}
