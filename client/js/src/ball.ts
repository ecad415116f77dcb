/**
 * Balls (`ldp/answers/balls.py`): vectors of numbers, none longer than a radius.
 *
 * Each coordinate becomes a whole number, in parts of 2^-30 of the radius; what is longer is refused, or shortened to the
 * radius in its own direction.
 */

import type { Bytes } from "./bytes.js";
import { SurveyError } from "./errors.js";
import { type Fraction, less, readFraction } from "./fraction.js";

/** A ball in the compiled form. */
export interface CompiledBall {
  readonly dimensions: number;
  /** An exact number as text. */
  readonly radius: string;
  /** `refuse` or `clip`. */
  readonly outside: string;
}

/** The radius, in the whole numbers that coordinates are rounded to. */
export const UNIT = 1n << 30n;
const SLACK = UNIT >> 20n;

/** All that tells a ball from others, for a fingerprint. */
export function ballParts({ dimensions, radius, outside }: CompiledBall): string[] {
  return ["open", `dimensions=${dimensions}`, `radius=${radius}`, `outside=${outside}`];
}

export class Ball {
  readonly dimensions: number;
  readonly #radius: Fraction;
  readonly #clips: boolean;

  /** Throws `SurveyError` if there is no such ball. */
  constructor({ dimensions, radius, outside }: CompiledBall, place: string) {
    this.dimensions = dimensions;
    this.#radius = readFraction(radius);
    if (!less([0n, 1n], this.#radius)) throw new SurveyError(`${place}: expected a radius above 0`);
    this.#clips = outside === "clip";
  }

  /** The whole numbers of a vector as bytes, four each; undefined if it is longer than the radius, and refused. */
  value(vector: readonly Fraction[]): Bytes | undefined {
    const within = this.#within(vector.map((number) => this.#whole(number)));
    return within && packed(within);
  }

  /** A coordinate in parts of the radius: the nearest, of two the upper. */
  #whole([top, bottom]: Fraction): bigint {
    const [part, whole] = [2n * UNIT * top * this.#radius[1], bottom * this.#radius[0]];
    return floored(part + whole, 2n * whole);
  }

  #within(coordinates: readonly bigint[]): readonly bigint[] | undefined {
    const square = coordinates.reduce((sum, coordinate) => sum + coordinate * coordinate, 0n);
    if (square <= UNIT * UNIT) return coordinates;
    if (!this.#clips && square > (UNIT + SLACK) ** 2n) return undefined;
    const length = root(square);
    return coordinates.map((coordinate) => floored(2n * UNIT * coordinate + length, 2n * length));
  }
}

/** The whole numbers that bytes stand for. */
export function unpacked(value: Bytes): Float64Array {
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  return Float64Array.from({ length: value.length / 4 }, (_, at) => view.getInt32(4 * at, true));
}

function packed(coordinates: readonly bigint[]): Bytes {
  const value = new Uint8Array(4 * coordinates.length);
  const view = new DataView(value.buffer);
  coordinates.forEach((coordinate, at) => view.setInt32(4 * at, Number(coordinate), true));
  return value;
}

/** A quotient, rounded down; the divisor is above 0. */
function floored(top: bigint, bottom: bigint): bigint {
  const quotient = top / bottom;
  return top % bottom < 0n ? quotient - 1n : quotient;
}

/** The square root of a whole number, rounded down (Newton's method, from above). */
export function root(square: bigint): bigint {
  if (square < 2n) return square;
  let next = 1n << BigInt((square.toString(2).length + 1) >> 1);
  let last: bigint;
  do {
    last = next;
    next = (last + square / last) >> 1n;
  } while (next < last);
  return last;
}
