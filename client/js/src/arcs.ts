/**
 * Arcs (`ldp/mechanisms/numbers/arcs.py`): a number as an arc of a circle, around which a device winds the line of all values as
 * often as the frequency says that it draws, and that travels with the report as its cohort.
 */

import { type Bytes, toBytes } from "./bytes.js";
import { type Random, randbelow, weighted } from "./randomness.js";
import { type Randomizer, type Value, inCohort, symbolWidth } from "./randomizer.js";
import type { Ratio } from "./ratio.js";

const MOST_FREQUENCIES = 1 << 10;

/** Bits of the fixed-point numbers that weights are worked out in, and of those that sines are. */
const UNIT = 64n;
const FINE = 160n;
const ONE = 1n << FINE;
/** Pi, rounded down to 160 bits after the point. */
const PI = 0x3243F6A8885A308D313198A2E03707344A4093822n;

/** One of `size` values, on a circle of `modulus` places, as an `arc` of so many: with its place, or without. */
export class Arcs implements Randomizer {
  readonly width: number;
  readonly #frequencies: number;
  #law: readonly bigint[] | undefined;

  /** `weights` are those of the frequencies 1, 2, ...; none stand for the usual ones. */
  constructor(
    readonly size: number, readonly modulus: number, readonly arc: number, readonly truth: bigint, readonly other: bigint,
    weights: readonly bigint[],
  ) {
    this.#law = weights.length ? weights : undefined;
    this.#frequencies = weights.length || mostFrequencies(modulus);
    this.width = inCohort(new Uint8Array(symbolWidth(modulus)), 0, this.#frequencies).length;
  }

  /** That of an arc with the true place, and one without: the frequency tells nothing. */
  get ratio(): Ratio {
    return [this.truth, this.other];
  }

  /** The weights of the frequencies; the usual ones are worked out when they are first asked for. */
  get law(): readonly bigint[] {
    this.#law ??= usualWeights(this.modulus, this.arc);
    return this.#law;
  }

  randomize(value: Value, random: Random): Bytes {
    const cohort = weighted(this.law, random);
    const start = arcAround(this, (cohort + 1) * Number(value), random);
    return inCohort(toBytes(BigInt(start), symbolWidth(this.modulus)), cohort, this.#frequencies);
  }
}

/** A circle of places, and the arcs of it that are reported. */
export interface Circle {
  readonly modulus: number;
  readonly arc: number;
  readonly truth: bigint;
  readonly other: bigint;
}

/** The first place of an arc that holds a place more often than not. */
export function arcAround({ modulus, arc, truth, other }: Circle, place: number, random: Random): number {
  const within = BigInt(arc) * truth;
  const drawn = randbelow(within + BigInt(modulus - arc) * other, random);
  // How many places before the true one the arc begins.
  const behind = drawn < within ? Number(drawn / truth) : arc + Number((drawn - within) / other);
  return (place + modulus - behind) % modulus;
}

/** How many frequencies there are: k and P - k are the same circle, read backwards. */
function mostFrequencies(modulus: number): number {
  return Math.min((modulus - 1) / 2, MOST_FREQUENCIES);
}

/** The weights of the frequencies 1, 2, ... that a survey has if it says nothing: the same everywhere, to the last bit. */
export function usualWeights(modulus: number, arc: number): readonly bigint[] {
  const most = mostFrequencies(modulus);
  const squares = squaredSines(modulus, arc, most);
  const worth = new Array<bigint>(most + 1).fill(1n << UNIT);
  for (let k = 1; k <= most; k += 1) {
    if (worth[k]! < 0n) worth[k] = 0n;
    // What the arcs of frequency k tell of its multiples need not be told again.
    for (let m = 2; k * m <= most; m += 1) worth[k * m]! -= (squares[m]! * worth[k]!) / (BigInt(m) * squares[1]!);
  }
  return worth.slice(1).map((whole, at) => whole / (BigInt(at + 1) << 32n));
}

/** sin^2(pi m t/P) for m = 0, ..., `most`, in units of 2^-64, rounded down: none is below 0. */
export function squaredSines(modulus: number, arc: number, most: number): bigint[] {
  // cos(2 pi t/P) by Taylor's series, then those of its multiples by Chebyshev's recurrence.
  const angle = (2n * PI * BigInt(arc)) / BigInt(modulus);
  const square = (angle * angle) >> FINE;
  let [cosine, term] = [ONE, ONE];
  for (let order = 2n; term; order += 2n) {
    term = ((term * square) >> FINE) / (order * (order - 1n));
    cosine += order % 4n ? -term : term;
  }
  const cosines = [ONE, cosine];
  // A shift rounds down below 0, too, as a division would not.
  for (let m = 2; m <= most; m += 1) cosines.push(((cosine * cosines[m - 1]!) >> (FINE - 1n)) - cosines[m - 2]!);
  return cosines.map((double) => (ONE - double) >> (FINE + 1n - UNIT));
}
