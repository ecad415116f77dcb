/**
 * Reports that go through a relay (`ldp/wire/sealed.py`, `client/ldp_client/delivery/sealing.py`): another party mixes them, and must not
 * read them, so each is encrypted to the collector's key. An entry of its own (`ldpkit-client/relay`), so that whoever sends
 * straight to a collector loads none of it.
 *
 * - A report is sealed once, when it is taken for sending, and its sealed bytes are kept until they are decided about.
 * - Each message goes alone, and at a time of its own (`sender.ts`).
 */

import { type Bytes, concat, toInteger, utf8 } from "./bytes.js";
import { ID_SIZE } from "./epochs.js";
import { P256, senderTo } from "./hpke.js";
import type { Survey } from "./survey.js";
import { type HTTPSettings, HTTPTransport, type Transport, type Way } from "./transport.js";
import { FRAME_HEAD, decodeBatch, encodeBatch, encodeFrame, encodeSealed, FORMAT_SEALED } from "./wire.js";

export { ObliviousTransport, type ObliviousSettings } from "./oblivious.js";

/** Below the address of a relay, where sealed reports go. */
export const SEALED_PATH = "/v1/sealed";

const LABEL = utf8("ldpkit sealed report");
const PREFIX = "ldp-relay-p256_";
const [KEY_SIZE, EPOCH_SIZE] = [65, 4];
/** The curve P-256, on which y^2 = x^3 - 3 x + b modulo a prime. */
const PRIME = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;

/** `http` has headers and the like; `transport` carries to the relay in place of them. */
export interface RelaySettings {
  readonly http?: HTTPSettings;
  readonly transport?: Transport;
}

export class Relay {
  readonly #transport: Transport;
  readonly #key: Bytes;
  readonly #name: string;

  /** `address` is the relay's; `key` the collector's public key, as `ldp relay keys` prints it. Throws `RangeError`. */
  constructor(address: string, key: string, { http, transport }: RelaySettings = {}) {
    this.#key = readKey(key);
    this.#name = key.trim();
    this.#transport = transport ?? new HTTPTransport(address, http, SEALED_PATH);
  }

  /** The way for a survey. Throws `RangeError` for one that a relay cannot mix, and beside `another` way. */
  way(survey: Survey, another: unknown): Way {
    if (another !== undefined) throw new RangeError("expected a relay alone, got a collector or transport beside it");
    if (survey.attributes.length) {
      throw new RangeError("expected a survey without attributes for a relay: what reports say openly tells them apart after they were mixed");
    }
    return { transport: this.#transport, collector: this.#name, seal: (frame) => sealed(frame, survey.epoch, this.#key) };
  }
}

/** The frame of a batch of one as it goes to a relay. `own` are the keys of this message, where something else draws them. */
export async function sealed(frame: Bytes, epoch: number | undefined, key: Bytes, own?: CryptoKeyPair): Promise<Bytes> {
  const { fingerprint, id, rows } = decodeBatch(frame.subarray(FRAME_HEAD));
  const bound = epoch === undefined ? new Uint8Array(EPOCH_SIZE) : id.slice(0, EPOCH_SIZE);
  const info = concat([LABEL, Uint8Array.of(FORMAT_SEALED), fingerprint, bound]);
  const sender = await senderTo(P256, key, info, own);
  const ciphertext = await sender.seal(encodeBatch({ fingerprint, id: new Uint8Array(ID_SIZE), size: 1, rows }));
  return encodeFrame(encodeSealed(fingerprint, id, concat([sender.enc, ciphertext])));
}

/** The point that a public key is. Throws `RangeError`. */
export function readKey(text: string): Bytes {
  const encoded = text.trim().slice(PREFIX.length);
  const key = /^[\w-]+$/.test(encoded) ? fromBase64(encoded) : new Uint8Array();
  const [x, y] = [1, 33].map((start) => toInteger(key.slice(start, start + 32).reverse())) as [bigint, bigint];
  const isOnCurve = (y * y - x * (x * x - 3n) - B) % PRIME === 0n;
  if (!text.trim().startsWith(PREFIX) || key.length !== KEY_SIZE || key[0] !== 4 || !isOnCurve) {
    throw new RangeError(`expected a collector's public key as ldp relay keys prints it, got "${text.slice(0, 40)}"`);
  }
  return key;
}

function fromBase64(text: string): Bytes {
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
