/** Exact numbers: a numerator and a denominator above 0, and the numbers that people answer with. */

export type Fraction = readonly [bigint, bigint];

/** A number as the compiled form writes it: `3`, or `-3/2`. */
export const FRACTION = /^-?(0|[1-9][0-9]{0,399})(\/[1-9][0-9]{0,399})?$/;

const MOST_DIGITS = 400;

/** Reads that; the text must match `FRACTION`. */
export function readFraction(text: string): Fraction {
  const [top = "", bottom = "1"] = text.split("/");
  return [BigInt(top), BigInt(bottom)];
}

/** Whether one number is less than another. */
export function less(left: Fraction, right: Fraction): boolean {
  return left[0] * right[1] < right[0] * left[1];
}

/** A number of a range: itself, or what stands in for it; undefined where it is refused. */
export function standIn(number: Fraction, outside: string, low: Fraction, high: Fraction): Fraction | undefined {
  const isBelow = less(number, low);
  if (!isBelow && !less(high, number)) return number;
  if (outside === "refuse") return undefined;
  if (outside !== "clip") return readFraction(outside);
  return isBelow ? low : high;
}

export function plus(left: Fraction, right: Fraction): Fraction {
  return [left[0] * right[1] + right[0] * left[1], left[1] * right[1]];
}

export function times([top, bottom]: Fraction, factor: bigint): Fraction {
  return [top * factor, bottom];
}

export function dividedBy([top, bottom]: Fraction, divisor: bigint): Fraction {
  return [top, bottom * divisor];
}

/** How often a number above 0 goes into one from 0 on, and 2^bits times the part of it that is then left, rounded down. */
export function divided(number: Fraction, divisor: Fraction, bits: bigint): readonly [bigint, bigint] {
  const [steps, whole] = [number[0] * divisor[1], number[1] * divisor[0]];
  return [steps / whole, ((steps % whole) << bits) / whole];
}

/**
 * The exact number that an answer is: a bigint, or a number at its shortest decimal text, so that 0.1 is a tenth.
 * Undefined for all else, NaN and infinities included, and for more than 400 digits.
 */
export function exactly(answer: unknown): Fraction | undefined {
  if (typeof answer === "bigint") {
    return String(answer).replace("-", "").length > MOST_DIGITS ? undefined : [answer, 1n];
  }
  if (!Number.isFinite(answer)) return undefined;
  const [mantissa = "", exponent = ""] = String(answer).split("e");
  const [whole = "", decimals = ""] = mantissa.split(".");
  const places = BigInt(exponent) - BigInt(decimals.length);
  const digits = BigInt(whole + decimals);
  return places < 0n ? [digits, 10n ** -places] : [digits * 10n ** places, 1n];
}
