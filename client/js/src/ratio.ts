/** Exact ratios of probabilities, whose logarithms are epsilons: a numerator and a denominator, both above 0. */

export type Ratio = readonly [bigint, bigint];

/** What several ratios come to together. */
export function product(ratios: Iterable<Ratio>): Ratio {
  let [top, bottom] = [1n, 1n];
  for (const ratio of ratios) [top, bottom] = [top * ratio[0], bottom * ratio[1]];
  return [top, bottom];
}

export function power([top, bottom]: Ratio, exponent: bigint): Ratio {
  return [top ** exponent, bottom ** exponent];
}

/** Whether one ratio is no larger than another. */
export function within(ratio: Ratio, bound: Ratio): boolean {
  return ratio[0] * bound[1] <= bound[0] * ratio[1];
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
