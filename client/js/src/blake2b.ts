/**
 * BLAKE2b (RFC 7693), with a key and a personalization, in plain code: it gives its hash at once, as a transaction of
 * IndexedDB asks for, and Web Crypto has none.
 *
 * Words of 64 bits are two of 32 that follow each other, the lower one first, as they do in a message.
 */

import { type Bytes, concat, utf8 } from "./bytes.js";

const [BLOCK, ROUNDS] = [128, 12];
const [NO_KEY, PERSON_AT, LENGTH_AT, LAST_AT] = [new Uint8Array(0), 48, 24, 28];

/** The first 64 bits of the fractions of the square roots of the first eight primes. */
const START = Uint32Array.from(
  "f3bcc9086a09e66784caa73bbb67ae85fe94f82b3c6ef3725f1d36f1a54ff53aade682d1510e527f2b3e6c1f9b05688cfb41bd6b1f83d9ab137e21795be0cd19"
    .match(/.{8}/g)!,
  (half) => parseInt(half, 16),
);

/** In which order a round takes the words of a block. */
const ORDERS = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d",
  "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
].map((order) => Array.from(order, (digit) => 2 * parseInt(digit, 16)));

/** `size` bytes, up to 64; a key has as many at most, and a personalization up to 16 letters. */
export function blake2b(message: Uint8Array, size: number, key: Uint8Array = NO_KEY, person = ""): Bytes {
  const parameters = new Uint8Array(START.byteLength);
  parameters.set([size, key.length, 1, 1]);
  parameters.set(utf8(person), PERSON_AT);
  const state = wordsOf(parameters).map((word, at) => word ^ START[at]!);
  const whole = key.length ? concat([key, new Uint8Array(BLOCK - key.length), message]) : message;
  for (let at = 0; at === 0 || at < whole.length; at += BLOCK) {
    const block = new Uint8Array(BLOCK);
    block.set(whole.subarray(at, at + BLOCK));
    const end = Math.min(at + BLOCK, whole.length);
    fold(state, wordsOf(block), end, end === whole.length);
  }
  const hash = new DataView(new ArrayBuffer(state.byteLength));
  state.forEach((word, at) => hash.setUint32(4 * at, word, true));
  return new Uint8Array(hash.buffer, 0, size).slice();
}

/** Folds a block into the state; `end` is how many bytes have come with it. */
function fold(state: Uint32Array, block: Uint32Array, end: number, isLast: boolean): void {
  const mixed = Uint32Array.of(...state, ...START);
  mixed[LENGTH_AT]! ^= end;
  if (isLast) for (const at of [LAST_AT, LAST_AT + 1]) mixed[at]! ^= 0xFFFFFFFF;
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = ORDERS[round % ORDERS.length]!;
    for (let step = 0; step < 8; step += 1) {
      // The columns of a square of words, then its diagonals.
      const turn = step >> 2;
      const [a, b] = [2 * (step & 3), 8 + 2 * ((step + turn) & 3)];
      const [c, d] = [16 + 2 * ((step + 2 * turn) & 3), 24 + 2 * ((step + 3 * turn) & 3)];
      for (const half of [0, 1]) {
        add(mixed, a, mixed, b);
        add(mixed, a, block, order[2 * step + half]!);
        turned(mixed, d, a, half ? 16 : 32);
        add(mixed, c, mixed, d);
        turned(mixed, b, c, half ? 63 : 24);
      }
    }
  }
  for (let at = 0; at < state.length; at += 1) state[at]! ^= mixed[at]! ^ mixed[at + state.length]!;
}

/** Adds a word of some to one of the mixed. */
function add(mixed: Uint32Array, to: number, words: Uint32Array, at: number): void {
  const low = mixed[to]! + words[at]!;
  mixed[to] = low;
  mixed[to + 1]! += words[at + 1]! + (low > 0xFFFFFFFF ? 1 : 0);
}

/** A word xor another one, turned to the right. */
function turned(mixed: Uint32Array, to: number, at: number, bits: number): void {
  const [low, high] = [mixed[to]! ^ mixed[at]!, mixed[to + 1]! ^ mixed[at + 1]!];
  const [first, second] = bits < 32 ? [low, high] : [high, low];
  const by = bits & 31;
  // In two steps, as a shift by a whole half would be none.
  mixed[to] = (first >>> by) | (second << 1 << (31 - by));
  mixed[to + 1] = (second >>> by) | (first << 1 << (31 - by));
}

function wordsOf(bytes: Bytes): Uint32Array {
  const view = new DataView(bytes.buffer);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, at) => view.getUint32(4 * at, true));
}
