/**
 * Chains (`ldp/mechanisms/chains/longitudinal.py`): a response that is drawn once and kept, and fresh noise on it for each
 * report.
 */

import { type Bytes, toBytes, toInteger } from "./bytes.js";
import { RandomizedResponse } from "./grr.js";
import { LocalHashing, withSeed } from "./localhashing.js";
import { type Random, drawBits } from "./randomness.js";
import { type Cohort, type Memoized, type Value, firstReport } from "./randomizer.js";
import type { Ratio } from "./ratio.js";
import { UnaryEncoding } from "./unary.js";

/** What is common to both: `lasting` draws the permanent response. */
abstract class Chain<Lasting extends UnaryEncoding | RandomizedResponse | LocalHashing> implements Memoized {
  readonly memoizes = true;

  constructor(readonly lasting: Lasting, readonly truth: bigint, readonly other: bigint) {}

  get size(): number {
    return this.lasting.size;
  }

  get width(): number {
    return this.lasting.width;
  }

  /** What the permanent response would reveal, if it were seen. */
  get lifetimeRatio(): Ratio {
    return this.lasting.ratio;
  }

  abstract get ratio(): Ratio;

  drawCohort(_: Random): Cohort {
    return 0;
  }

  memoValue(value: Value, _: Cohort): Value {
    return value;
  }

  permanent(value: Value, cohort: Cohort, random: Random): Bytes {
    return this.lasting.randomize(this.memoValue(value, cohort), random);
  }

  abstract instantaneous(permanent: Bytes, cohort: Cohort, random: Random): Bytes;

  randomize(value: Value, random: Random): Bytes {
    return firstReport(this, value, random);
  }

  supports(report: Bytes, value: number): boolean {
    return this.lasting.supports(report, value);
  }
}

/** Bits, each of which stays as it is with threshold `truth`, and flips with `other`. */
export class BitChain extends Chain<UnaryEncoding> {
  get ratio(): Ratio {
    const { size, ifTrue, ifOther, word } = this.lasting;
    const span = 1n << BigInt(word);
    const [own, others] = [ifTrue, ifOther].map((rate) => rate * this.truth + (span - rate) * this.other);
    return new UnaryEncoding(size, own!, others!, 2 * word).ratio;
  }

  instantaneous(permanent: Bytes, _: Cohort, random: Random): Bytes {
    const { size, word, width } = this.lasting;
    return toBytes(drawBits(toInteger(permanent), size, this.truth, this.other, random, word), width);
  }
}

/** A symbol, through k-ary response with odds of `truth` to `other`. */
export class SymbolChain extends Chain<RandomizedResponse | LocalHashing> {
  /** That of both steps together. */
  get ratio(): Ratio {
    const { truth, other } = this;
    const { size } = this.response;
    const [own, others] = this.response.ratio;
    const wrong = BigInt(size - 1);
    return [own * truth + wrong * others * other, own * other + others * (truth + (wrong - 1n) * other)];
  }

  /** What draws a symbol that is kept. */
  get response(): RandomizedResponse {
    return this.lasting instanceof LocalHashing ? this.lasting.response : this.lasting;
  }

  override drawCohort(random: Random): Cohort {
    return this.lasting instanceof LocalHashing ? String(this.lasting.drawSeed(random)) : 0;
  }

  /** The bucket of a value, or the value itself. */
  override memoValue(value: Value, cohort: Cohort): Value {
    return this.lasting instanceof LocalHashing ? this.lasting.bucketOf(value, BigInt(cohort)) : value;
  }

  override permanent(value: Value, cohort: Cohort, random: Random): Bytes {
    return this.response.randomize(this.memoValue(value, cohort), random);
  }

  instantaneous(permanent: Bytes, cohort: Cohort, random: Random): Bytes {
    const fresh = new RandomizedResponse(this.response.size, this.truth, this.other);
    const symbol = fresh.randomize(Number(toInteger(permanent)), random);
    return this.lasting instanceof LocalHashing ? withSeed(symbol, BigInt(cohort)) : symbol;
  }
}
