/** Hadamard response (`ldp/mechanisms/values/hadamard.py`): a symbol that supports half of the values of one block. */

import { type Bytes, onesOf, toBytes, toInteger } from "./bytes.js";
import { type Random, randbelow } from "./randomness.js";
import { type Randomizer, type Value, symbolWidth } from "./randomizer.js";
import type { Ratio } from "./ratio.js";

/** `symbols` in so many `blocks`: weight `truth` for the half block that supports the value, `other` for the rest. */
export class HadamardResponse implements Randomizer {
  readonly width: number;

  constructor(
    readonly size: number, readonly blocks: number, readonly symbols: number, readonly truth: bigint,
    readonly other: bigint,
  ) {
    this.width = symbolWidth(symbols);
  }

  get ratio(): Ratio {
    return [this.truth, this.other];
  }

  randomize(value: Value, random: Random): Bytes {
    const { blocks, truth, other } = this;
    const rows = this.symbols / blocks;
    const mask = Math.floor(Number(value) / blocks) + 1;
    const weight = randbelow(truth + BigInt(2 * blocks - 1) * other, random);
    let row = Number(randbelow(BigInt(rows), random));
    // After the half of the supporters comes the other one of their block, then two of each block.
    const after = weight < truth ? 0 : 1 + Number((weight - truth) / other);
    const block = (Number(value) + Math.floor(after / 2)) % blocks;
    if (after < 2 && parity(row & mask) !== after) row ^= mask & -mask;
    return toBytes(BigInt(block * rows + row), this.width);
  }

  supports(report: Bytes, value: number): boolean {
    const { blocks } = this;
    const [rows, symbol] = [this.symbols / blocks, Number(toInteger(report))];
    return Math.floor(symbol / rows) === value % blocks && !parity(symbol % rows & (Math.floor(value / blocks) + 1));
  }
}

/** Whether so many bits are set that they are an odd number: 1, else 0. */
export function parity(bits: number): number {
  return onesOf(BigInt(bits)) % 2;
}
