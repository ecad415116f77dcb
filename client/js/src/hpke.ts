/**
 * HPKE (RFC 9180), the sender's half in base mode, by Web Crypto: one message to a public key, and secrets that both ends can
 * derive from it. HKDF-SHA256 and AES-128-GCM; keys of P-256 or X25519.
 */

import { type Bytes, concat, toBytes, utf8 } from "./bytes.js";

/** How keys are agreed on, by the number that the RFC gives it: how Web Crypto calls that. */
const KEMS: Readonly<Record<number, EcKeyGenParams | { readonly name: string }>> = {
  0x10: { name: "ECDH", namedCurve: "P-256" },
  0x20: { name: "X25519" },
};
export const [P256, X25519] = [0x10, 0x20];
/** HKDF-SHA256, and AES-128-GCM. */
export const [KDF, AEAD] = [1, 1];
const [HASH_SIZE, KEY_SIZE, NONCE_SIZE] = [32, 16, 12];

/** What a sender has: what the recipient needs to derive the same, a way to seal one message, and further secrets. */
export interface Sender {
  readonly enc: Bytes;
  readonly seal: (plaintext: Bytes) => Promise<Bytes>;
  readonly exported: (label: Bytes, size: number) => Promise<Bytes>;
}

/** A sender to a public key. `own` are the keys that are drawn for this once, where something else draws them. */
export async function senderTo(kem: number, key: Bytes, info: Bytes, own?: CryptoKeyPair): Promise<Sender> {
  const { subtle } = crypto;
  const algorithm = KEMS[kem]!;
  const pair = own ?? ((await subtle.generateKey(algorithm, true, ["deriveBits"])) as CryptoKeyPair);
  const theirs = await subtle.importKey("raw", key, algorithm, true, []);
  const agreed = new Uint8Array(await subtle.deriveBits({ name: algorithm.name, public: theirs }, pair.privateKey, 8 * HASH_SIZE));
  const enc = new Uint8Array(await subtle.exportKey("raw", pair.publicKey));
  const agreement = concat([utf8("KEM"), number(kem)]);
  const suite = concat([utf8("HPKE"), number(kem), number(KDF), number(AEAD)]);
  const pseudorandom = await extracted(agreement, new Uint8Array(), "eae_prk", agreed);
  const shared = await expanded(agreement, pseudorandom, "shared_secret", concat([enc, key]), HASH_SIZE);
  const empty = new Uint8Array();
  const hashes = [await extracted(suite, empty, "psk_id_hash", empty), await extracted(suite, empty, "info_hash", info)];
  const context = concat([Uint8Array.of(0), ...hashes]);
  const secret = await extracted(suite, shared, "secret", empty);
  const exporter = await expanded(suite, secret, "exp", context, HASH_SIZE);
  return {
    enc,
    async seal(plaintext) {
      const secrets = [await expanded(suite, secret, "key", context, KEY_SIZE), await expanded(suite, secret, "base_nonce", context, NONCE_SIZE)];
      return crypted("encrypt", secrets[0]!, secrets[1]!, plaintext);
    },
    exported: (label, size) => expanded(suite, exporter, "sec", label, size),
  };
}

/** AES-128-GCM, either way. */
export async function crypted(way: "encrypt" | "decrypt", key: Bytes, nonce: Bytes, text: Bytes): Promise<Bytes> {
  const imported = await crypto.subtle.importKey("raw", key, "AES-GCM", false, [way]);
  return new Uint8Array(await crypto.subtle[way]({ name: "AES-GCM", iv: nonce }, imported, text));
}

/** HMAC-SHA256, of which HKDF is made: to extract is one call, and so is to expand to 32 bytes at most. */
export async function hmac(key: Bytes, message: Bytes): Promise<Bytes> {
  // No key at all is one of zeros.
  const material = key.length ? key : new Uint8Array(HASH_SIZE);
  const imported = await crypto.subtle.importKey("raw", material, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, message));
}

/** Numbers of two bytes, the higher first. */
export function number(integer: number): Bytes {
  return toBytes(BigInt(integer), 2).reverse();
}

function extracted(suite: Bytes, salt: Bytes, label: string, material: Bytes): Promise<Bytes> {
  return hmac(salt, concat([utf8("HPKE-v1"), suite, utf8(label), material]));
}

async function expanded(suite: Bytes, secret: Bytes, label: string, info: Bytes, size: number): Promise<Bytes> {
  const labelled = concat([number(size), utf8("HPKE-v1"), suite, utf8(label), info, Uint8Array.of(1)]);
  return (await hmac(secret, labelled)).slice(0, size);
}
