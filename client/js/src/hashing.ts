/**
 * XXH64, in plain code: a page whose policy allows no WebAssembly has it, and so has a service worker, which may not wait
 * for anything while it is loaded.
 *
 * Words of 64 bits are pairs of 32, which is quicker than BigInt. The steps and the primes are those of the
 * specification (github.com/Cyan4973/xxHash, doc/xxhash_spec.md).
 */

const LANES = 4;
const STRIPE = 32;
/** Rotations are by less than half a word, so that two shifts do; those by more exchange the halves before. */
const HALF = 32;

class Word {
  constructor(public high: number, public low: number) {}

  copy(): Word {
    return new Word(this.high, this.low);
  }

  plus({ high, low }: Word): this {
    const sum = (this.low >>> 0) + (low >>> 0);
    this.low = sum | 0;
    this.high = (this.high + high + (sum > 0xFFFFFFFF ? 1 : 0)) | 0;
    return this;
  }

  xor({ high, low }: Word): this {
    this.high ^= high;
    this.low ^= low;
    return this;
  }

  times({ high, low }: Word): this {
    const [own, ownUpper, ownLower] = [this.low, this.low >>> 16, this.low & 0xFFFF];
    const [upper, lower] = [low >>> 16, low & 0xFFFF];
    const below = ownLower * lower;
    const [across, along] = [ownUpper * lower, ownLower * upper];
    const middle = (below >>> 16) + (across & 0xFFFF) + (along & 0xFFFF);
    const carried = (across >>> 16) + (along >>> 16) + (middle >>> 16);
    this.low = (below & 0xFFFF) | (middle << 16);
    this.high = (ownUpper * upper + carried + Math.imul(this.high, low) + Math.imul(own, high)) | 0;
    return this;
  }

  rotated(bits: number): this {
    const [high, low] = bits < HALF ? [this.high, this.low] : [this.low, this.high];
    const by = bits % HALF;
    this.high = (high << by) | (low >>> (HALF - by));
    this.low = (low << by) | (high >>> (HALF - by));
    return this;
  }

  /** Xor with itself, shifted to the right. */
  folded(bits: number): this {
    const [high, low] = [this.high, this.low];
    this.high ^= bits < HALF ? high >>> bits : 0;
    this.low ^= bits < HALF ? (low >>> bits) | (high << (HALF - bits)) : high >>> (bits - HALF);
    return this;
  }
}

const P1 = new Word(0x9E3779B1 | 0, 0x85EBCA87 | 0);
const P2 = new Word(0xC2B2AE3D | 0, 0x27D4EB4F);
const P3 = new Word(0x165667B1, 0x9E3779F9 | 0);
const P4 = new Word(0x85EBCA77 | 0, 0xC2B2AE63 | 0);
const P5 = new Word(0x27D4EB2F, 0x165667C5);
const MINUS_P1 = new Word(~P1.high, -P1.low);

const round = (lane: Word, input: Word): Word => lane.plus(input.times(P2)).rotated(31).times(P1);

export function xxh64(bytes: Uint8Array, seed: bigint): bigint {
  const { length } = bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, length);
  const wordAt = (at: number): Word => new Word(view.getInt32(at + 4, true), view.getInt32(at, true));
  const start = new Word(Number((seed >> 32n) & 0xFFFFFFFFn) | 0, Number(seed & 0xFFFFFFFFn) | 0);
  let at = 0;
  let hash = start.copy().plus(P5);
  if (length >= STRIPE) {
    const lanes = [start.copy().plus(P1).plus(P2), start.copy().plus(P2), start.copy(), start.copy().plus(MINUS_P1)];
    for (; at + STRIPE <= length; at += STRIPE) {
      for (let lane = 0; lane < LANES; lane += 1) round(lanes[lane]!, wordAt(at + 8 * lane));
    }
    hash = new Word(0, 0);
    [1, 7, 12, 18].forEach((bits, lane) => hash.plus(lanes[lane]!.copy().rotated(bits)));
    for (const lane of lanes) hash.xor(round(new Word(0, 0), lane)).times(P1).plus(P4);
  }
  hash.plus(new Word(0, length | 0));
  for (; at + 8 <= length; at += 8) hash.xor(round(new Word(0, 0), wordAt(at))).rotated(27).times(P1).plus(P4);
  if (at + 4 <= length) {
    hash.xor(new Word(0, view.getInt32(at, true)).times(P1)).rotated(23).times(P2).plus(P3);
    at += 4;
  }
  for (; at < length; at += 1) hash.xor(new Word(0, bytes[at]!).times(P5)).rotated(11).times(P1);
  hash.folded(33).times(P2).folded(29).times(P3).folded(32);
  return (BigInt(hash.high >>> 0) << 32n) | BigInt(hash.low >>> 0);
}
