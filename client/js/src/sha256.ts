/**
 * SHA-256 at once, in plain code: Web Crypto gives a promise, for which no transaction of IndexedDB waits, and is
 * missing in React Native.
 */

import { type Bytes, concat, toBytes, utf8 } from "./bytes.js";

const BLOCK = 64;

/** The first 32 bits of the fractions of roots of primes. */
const [START, ROUNDS] = constants();

export function sha256(message: Uint8Array): Bytes {
  const padding = new Uint8Array(1 + ((2 * BLOCK - 9 - (message.length % BLOCK)) % BLOCK)).fill(0x80, 0, 1);
  const padded = concat([message, padding, toBytes(BigInt(8 * message.length), 8).reverse()]);
  const words = new DataView(padded.buffer);
  const state = START.slice();
  for (let at = 0; at < padded.length; at += BLOCK) {
    const schedule = Array.from({ length: 16 }, (_, place) => words.getUint32(at + 4 * place));
    fold(state, schedule);
  }
  return concat(Array.from(state, (word) => toBytes(BigInt(word), 4).reverse()));
}

/** What is hashed together with others: a text stands for its UTF-8. */
export type Part = Bytes | string;

/** Parts end to end, each with its length before it: no others come to the same. */
export function netstrings(parts: readonly Part[]): Bytes {
  const bytes = parts.map((part) => (typeof part === "string" ? utf8(part) : part));
  return concat(bytes.flatMap((part) => [utf8(`${part.length}:`), part, utf8(",")]));
}

/** The first bytes of the SHA-256 of some parts. */
export function digest(parts: readonly Part[], size: number): Bytes {
  return sha256(netstrings(parts)).slice(0, size);
}

/** Folds a block, as 16 words, into the state. */
function fold(state: Uint32Array, schedule: number[]): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let round = 0; round < 64; round += 1) {
    if (round >= 16) {
      const [early, late] = [schedule[round - 15]!, schedule[round - 2]!];
      const mixed = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
      const other = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
      schedule[round] = (schedule[round - 16]! + mixed + schedule[round - 7]! + other) | 0;
    }
    const chosen = (e & f) ^ (~e & g);
    const one = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + chosen + ROUNDS[round]! + schedule[round]!;
    const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, place) => (state[place]! += word));
}

function turned(word: number, places: number): number {
  return (word >>> places) | (word << (32 - places));
}

function constants(): [Uint32Array, Uint32Array] {
  const primes: number[] = [];
  for (let number = 2; primes.length < 64; number += 1) {
    if (primes.every((prime) => number % prime)) primes.push(number);
  }
  const fraction = (root: number): number => Math.floor((root % 1) * 2 ** 32);
  const squareRoots = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
  return [Uint32Array.from(squareRoots), Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)))];
}
