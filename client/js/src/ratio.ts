/** Exact ratios of probabilities, whose logarithms are epsilons: a numerator and a denominator, both above 0. */

import { bitLength } from "./bytes.js";

export type Ratio = readonly [bigint, bigint];

/** What several ratios come to together. */
export function product(ratios: Iterable<Ratio>): Ratio {
  let [top, bottom] = [1n, 1n];
  for (const ratio of ratios) [top, bottom] = [top * ratio[0], bottom * ratio[1]];
  return [top, bottom];
}

export function power([top, bottom]: Ratio, exponent: number): Ratio {
  return [top ** BigInt(exponent), bottom ** BigInt(exponent)];
}

/** Whether one ratio is no larger than another. */
export function within(ratio: Ratio, bound: Ratio): boolean {
  return ratio[0] * bound[1] <= bound[0] * ratio[1];
}

export function smaller(left: Ratio, right: Ratio): Ratio {
  return within(left, right) ? left : right;
}

/** The smallest multiple of 2^-64 that is no less: as much, in fewer digits. */
export function roundedUp([top, bottom]: Ratio): Ratio {
  return [((top << 64n) + bottom - 1n) / bottom, 1n << 64n];
}

/** An epsilon as it is written: `2.5`, or `1/3`. */
export const EPSILON = /^[0-9]{1,40}(\.[0-9]{1,40}|\/[1-9][0-9]{0,39})?$/;

const MOST_EPSILON = 1000n;

/**
 * A ratio just below e^epsilon, or below e^1000 if that is less: the terms of the exponential series, rounded down,
 * until they are 0.
 */
export function bound(epsilon: string): Ratio {
  if (!EPSILON.test(epsilon)) throw new RangeError("expected an epsilon as text, such as 2.5");
  const [above = "", below = "1"] = epsilon.split("/");
  const [whole = "", decimals = ""] = above.split(".");
  const [top, bottom] = [BigInt(whole + decimals), BigInt(below) * 10n ** BigInt(decimals.length)];
  const most = MOST_EPSILON * bottom;
  const exponent = top < most ? top : most;
  const unit = 1n << 256n;
  let [sum, term] = [0n, unit];
  for (let number = 1n; term; number += 1n) {
    sum += term;
    term = (term * exponent) / (bottom * number);
  }
  return [sum, unit];
}

/** A ratio in the notation `3/2`, or `3`. */
export function written([top, bottom]: Ratio): string {
  return `${top}/${bottom}`;
}

/** Reads the same; the text must match `RATIO`. */
export function read(text: string): Ratio {
  const [top = "", bottom = "1"] = text.split("/");
  return [BigInt(top), BigInt(bottom)];
}

export const RATIO = /^[1-9][0-9]*(\/[1-9][0-9]*)?$/;

/** The natural logarithm of a ratio of at least 1, rounded up in its twelfth digit; 0 for 1. */
export function logUpper([top, bottom]: Ratio): number {
  if (top <= bottom) return 0;
  const doublings = bitLength(top) - bitLength(bottom);
  const scaled = Number((top << 64n) / (bottom << BigInt(doublings))) / 2 ** 64;
  return (Math.log(scaled) + doublings * Math.LN2) * (1 + 1e-12) + 1e-15;
}
