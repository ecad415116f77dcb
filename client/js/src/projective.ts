/**
 * Projective-geometry response (`ldp/mechanisms/values/projective.py`): values and reports are points of one projective space,
 * and a report supports the values that it is orthogonal to.
 */

import { type Bytes, toBytes, toInteger } from "./bytes.js";
import { difference, innerProduct, inverse, multiple } from "./field.js";
import { type Random, randbelow } from "./randomness.js";
import { type Randomizer, type Value, symbolWidth } from "./randomizer.js";
import type { Ratio } from "./ratio.js";

/** Weight `truth` for the points that support the value, `other` for the rest. */
export class ProjectiveResponse implements Randomizer {
  readonly width: number;
  /** How many points there are, and how many of them support a value. */
  readonly points: bigint;
  readonly block: bigint;

  constructor(
    readonly size: number, readonly order: bigint, dimension: bigint, readonly truth: bigint, readonly other: bigint,
  ) {
    this.points = (order ** dimension - 1n) / (order - 1n);
    this.block = (order ** (dimension - 1n) - 1n) / (order - 1n);
    this.width = symbolWidth(Number(this.points));
  }

  get ratio(): Ratio {
    return [this.truth, this.other];
  }

  randomize(value: Value, random: Random): Bytes {
    const { order, truth, other, points, block } = this;
    const drawn = randbelow(truth * block + other * (points - block), random);
    const beyond = drawn - truth * block;
    // What is left of the report's vector without the coordinate at which the value has its first 1.
    const [rest, product] = beyond < 0n ? [vectorOf(drawn / truth, order), 0n] : [beyond / other, 1n];
    const trueVector = vectorOf(BigInt(Number(value)), order);
    const place = firstPlace(trueVector, order);
    const low = rest % place;
    const atPlace = difference(product, innerProduct(trueVector - place, low, order), order);
    return toBytes(indexOf(((rest / place) * order + atPlace) * place + low, order), this.width);
  }

  supports(report: Bytes, value: number): boolean {
    const { order } = this;
    return innerProduct(vectorOf(toInteger(report), order), vectorOf(BigInt(value), order), order) === 0n;
  }
}

/** The point of an index, as a number whose digits are its coordinates. */
function vectorOf(index: bigint, order: bigint): bigint {
  let place = 1n;
  for (; index >= place; place *= order) index -= place;
  return place + index;
}

/** The index of the point that a vector (not all 0) lies on. */
function indexOf(vector: bigint, order: bigint): bigint {
  const place = firstPlace(vector, order);
  const point = multiple(vector, inverse(vector / place, order), order);
  return (place - 1n) / (order - 1n) + point - place;
}

/** The place value of a vector's first digit. */
function firstPlace(vector: bigint, order: bigint): bigint {
  let place = 1n;
  while (vector >= place * order) place *= order;
  return place;
}
