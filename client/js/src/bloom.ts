/** The Bloom filter of RAPPOR (`ldp/mechanisms/chains/bloom.py`): which bits a text sets, in each cohort. */

import { type Bytes, toBytes } from "./bytes.js";
import { xxh64 } from "./hashing.js";

/** The positions that `text` sets in `cohort`, one per hash function; they need not differ. */
export function bloomPositions(text: Bytes, cohort: number, hashes: number, bits: number): number[] {
  const short = toBytes(xxh64(text, 0n), 8).reverse();
  return Array.from({ length: hashes }, (_, i) => Number(xxh64(short, BigInt(256 * cohort + i)) % BigInt(bits)));
}

/** The Bloom filter of one text as an integer whose bit i is position i. */
export function bloomVector(text: Bytes, cohort: number, hashes: number, bits: number): bigint {
  const positions = bloomPositions(text, cohort, hashes, bits);
  return positions.reduce((vector, position) => vector | (1n << BigInt(position)), 0n);
}
