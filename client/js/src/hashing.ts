/** XXH64, which is compiled once, when this module is loaded. */

import xxhash from "xxhash-wasm";

const { h64Raw } = await xxhash();

export function xxh64(bytes: Uint8Array, seed: bigint): bigint {
  return h64Raw(bytes, seed);
}
