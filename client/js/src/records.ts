/** Answers of a device with many records (`per_device`): their mean or sum, the last, or one drawn. */

import { type Asked, type Line, type Reader, rounded, rounds, unfit } from "./answertype.js";
import { type Placed, ROUNDING_BITS, chosen } from "./contributions.js";
import { type Fraction, divided, dividedBy, exactly, plus, standIn } from "./fraction.js";
import type { Random } from "./randomness.js";

/** What reads lists of records, each of which another reader reads. */
export type Records = (asked: Asked, one: Reader) => Reader;

export const records: Records = (asked, one) => {
  const { name, per_device: perDevice } = asked;
  const line = one.line ?? lineOfWholes(asked);
  const isRounded = rounds(asked, { ...line, hasBetween: one.line ? line.hasBetween : perDevice === "mean" });

  const added = (numbers: readonly Fraction[]): Fraction => numbers.reduce(plus);
  /** The place of what all records come to; of several of which one is drawn, that of each. */
  function places(answer: readonly unknown[], random: Random): Placed[] {
    // What has no places is not rounded, so that nothing is drawn for it.
    const placed = one.placed ?? ((record: unknown) => ({ value: one.value(record, random), rest: 0n }));
    if (perDevice === "one") return answer.map(placed);
    if (perDevice === "last") return [placed(answer.at(-1))];
    const exact = answer.map(line.exact);
    if (perDevice === "sum") return [line.placed(line.within(added(exact)))];
    return [line.placed(dividedBy(added(exact.map(line.within)), BigInt(answer.length)))];
  }

  return {
    gives: one.gives,
    size: one.size,
    value: (answer, random) => {
      if (!Array.isArray(answer)) throw unfit(name, "a list of all that the device has");
      if (!answer.length) throw unfit(name, "at least one record, got none: record no answer then");
      const all = places(answer, random);
      // Before one is drawn: whether they fit does not depend on which it is.
      if (!isRounded) for (const place of all) rounded(place, false, random, name);
      return rounded(perDevice === "one" ? chosen(all, random) : all[0]!, isRounded, random, name);
    },
  };
};

/** The numbers of a question of type integer. */
function lineOfWholes({ name, values, outside }: Asked): Line {
  const expected = (): Error => unfit(name, `a whole number from ${values?.[0]} to ${values?.at(-1)}`);
  const end = (place: number): Fraction => [BigInt(values!.at(place)!), 1n];
  return {
    hasBetween: false,
    exact: (record) => {
      const number = exactly(record);
      if (!number || !(typeof record === "bigint" || Number.isInteger(record))) throw unfit(name, "a whole number");
      return number;
    },
    within: (number) => {
      const counted = standIn(number, outside ?? "refuse", end(0), end(-1));
      if (!counted) throw expected();
      return counted;
    },
    placed: (number) => {
      const [value, rest] = divided(plus(number, [-end(0)[0], 1n]), [1n, 1n], ROUNDING_BITS);
      return { value: Number(value), rest };
    },
  };
}
