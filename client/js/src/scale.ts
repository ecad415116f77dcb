/**
 * Scales (`ldp/answers/scales.py`): where on a line of numbers an answer is counted.
 *
 * A scale has points, a step apart, or cells, intervals [edge, next edge), the last with both ends. A number between two
 * points counts as one or the other, drawn in proportion to how near it is. What lies outside is refused, or clipped to
 * the nearer end, or replaced by a number that the survey names.
 */

import { type Placed, ROUNDING_BITS } from "./contributions.js";
import { SurveyError } from "./errors.js";
import { FRACTION, type Fraction, divided, less, plus, readFraction, standIn, times } from "./fraction.js";

/** A scale in the compiled form: `low` and `step`, or `edges`; numbers as exact texts. */
export interface CompiledScale {
  readonly size: string;
  readonly low: string | undefined;
  readonly step: string | undefined;
  readonly edges: readonly string[] | undefined;
  /** `refuse`, `clip`, or the number that stands in for those outside. */
  readonly outside: string;
  readonly unit: string;
  /** Texts that stand for no answer in tables of answers. */
  readonly missing: readonly string[];
}

/** All that tells a scale from others, for a fingerprint. */
export function scaleParts({ size, low, step, edges, outside, unit, missing }: CompiledScale): string[] {
  const where = edges ? [`edges=${edges.join()}`] : [`low=${low}`, `step=${step}`];
  return [size, ...where, `outside=${outside}`, `unit=${unit}`, ...missing.map((each) => `missing=${each}`)];
}

const MOST_POINTS = 10n ** 15n + 1n;
const ZERO: Fraction = [0n, 1n];

export class Scale {
  readonly size: number;
  readonly #low: Fraction;
  readonly #high: Fraction;
  readonly #step: Fraction;
  /** Of cells; none for points. */
  readonly #edges: readonly Fraction[];
  readonly #outside: string;

  /** Throws `SurveyError` if there is no such scale. */
  constructor({ size, low, step, edges, outside }: CompiledScale, place: string) {
    const last = BigInt(size) - 1n;
    expect(last > 0n && last < MOST_POINTS, place, "a scale of 2 to 10^15 + 1 points or cells");
    this.size = Number(size);
    if (edges) {
      expect(low === undefined && step === undefined, place, "a scale with edges to have no step");
      expect(BigInt(edges.length) === last + 2n, place, `edges of ${size} cells`);
      this.#edges = edges.map(readFraction);
      expect(this.#edges.slice(1).every((edge, at) => less(this.#edges[at]!, edge)), place, "edges that go up");
      this.#step = ZERO;
      [this.#low, this.#high] = [this.#edges[0]!, this.#edges.at(-1)!];
    } else {
      expect(low !== undefined && step !== undefined, place, "a scale with low and step, or with edges");
      this.#edges = [];
      this.#step = readFraction(step);
      expect(less(ZERO, this.#step), place, "a step above 0");
      this.#low = readFraction(low);
      this.#high = plus(this.#low, times(this.#step, last));
    }
    this.#outside = outside;
    expect(!FRACTION.test(outside) || this.#holds(readFraction(outside)), place, "a stand-in that is not outside itself");
  }

  /** Whether it has points, to which numbers are rounded. */
  get hasPoints(): boolean {
    return !this.#edges.length;
  }

  /** A number of the range: itself, or what stands in for it; undefined if it is outside, and refused. */
  within(number: Fraction): Fraction | undefined {
    return standIn(number, this.#outside, this.#low, this.#high);
  }

  /** Where a number of the range is. */
  placed(number: Fraction): Placed {
    if (!this.hasPoints) {
      const passed = this.#edges.slice(1, -1).filter((edge) => !less(number, edge));
      return { value: passed.length, rest: 0n };
    }
    const [point, rest] = divided(plus(number, times(this.#low, -1n)), this.#step, ROUNDING_BITS);
    return { value: Number(point), rest };
  }

  #holds(number: Fraction): boolean {
    return !less(number, this.#low) && !less(this.#high, number);
  }
}

function expect(sound: boolean, place: string, what: string): asserts sound {
  if (!sound) throw new SurveyError(`${place}: expected ${what}`);
}
