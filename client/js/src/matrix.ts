/** Randomization by a stochastic matrix (`ldp/mechanisms/matrices/matrix.py`): Warner's and forced response are two by two. */

import { type Bytes, toBytes, toInteger } from "./bytes.js";
import { type Random, weighted } from "./randomness.js";
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
    return toBytes(BigInt(weighted(this.weights[Number(value)]!, random)), this.width);
  }

  /** Under which values a report is likeliest. */
  supports(report: Bytes, value: number): boolean {
    const column = this.weights.map((row) => row[Number(toInteger(report))]!);
    const own = column[value]!;
    return column.every((weight) => weight <= own) && column.some((weight) => weight < own);
  }
}
