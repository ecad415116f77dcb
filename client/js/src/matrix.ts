/** Randomization by a stochastic matrix (`ldp/mechanisms/matrix.py`): Warner's and forced response are two by two. */

import { type Bytes, toBytes } from "./bytes.js";
import { type Random, randbelow } from "./randomness.js";
import { type Randomizer, type Value, symbolWidth } from "./randomizer.js";
import { type Ratio, within } from "./ratio.js";

/** `weights[x][y]` is the weight of report y when the true value is x. */
export class StochasticMatrix implements Randomizer {
  readonly width: number;
  readonly size: number;

  constructor(readonly weights: readonly (readonly bigint[])[]) {
    this.size = weights.length;
    this.width = symbolWidth(weights[0]!.length);
  }

  get ratio(): Ratio {
    const ratios = this.weights.flatMap((row) =>
      row.flatMap((weight, y) => this.weights.map((other): Ratio => [weight, other[y]!])),
    );
    return ratios.reduce((most, ratio) => (within(ratio, most) ? most : ratio));
  }

  randomize(value: Value, random: Random): Bytes {
    const row = this.weights[Number(value)]!;
    let left = randbelow(row.reduce((sum, weight) => sum + weight), random);
    let symbol = 0;
    while (left >= row[symbol]!) {
      left -= row[symbol]!;
      symbol += 1;
    }
    return toBytes(BigInt(symbol), this.width);
  }
}
