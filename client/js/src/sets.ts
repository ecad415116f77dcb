/** Answers that are several of a question's values, and keys with numbers (`ldp/answers/sets.py`, `ldp/answers/key_values.py`). */

import { type AnswerType, type Asked, type Reader, placesIn, roundingDraw, unfit } from "./answertype.js";
import { SurveyError } from "./errors.js";
import { lineOf } from "./numbers.js";

/** Signed items of a key: it comes with the lower end of the range of its numbers, or with the upper one. */
const ENDS = 2;

function setReader({ name, values, randomizer }: Asked): Reader {
  if (!values) throw new SurveyError(`question ${name}: expected values`);
  const most = randomizer?.most ?? 0;
  const placeOf = placesIn(values, name);
  return {
    gives: "sets",
    size: values.length,
    value: (answer) => {
      const isListed = Array.isArray(answer) || answer instanceof Set;
      if (!isListed) throw unfit(name, "a list or a set of texts");
      const places = Array.from(answer as Iterable<unknown>, placeOf);
      if (places.includes(-1)) throw unfit(name, `some of ${values.length} values`);
      if (new Set(places).size < places.length) throw unfit(name, "values that all differ, got one of them again");
      if (places.length > most) throw unfit(name, `at most ${most} values`);
      return places.sort((one, other) => one - other);
    },
  };
}

function pairReader(asked: Asked): Reader {
  const { name, values, randomizer } = asked;
  const line = lineOf(asked);
  if (!values || line.size !== ENDS || !line.hasBetween || asked.per_device) {
    throw new SurveyError(`question ${name}: expected a scale of two points for the numbers of keys, and one answer a device`);
  }
  const most = randomizer?.most ?? 0;
  const placeOf = placesIn(values, name);
  return {
    gives: "sets",
    size: ENDS * values.length,
    /** One draw rounds all numbers, as one of them is reported at most. */
    value: (answer, random) => {
      const pairs = pairsOf(answer);
      if (!pairs) throw unfit(name, "an object or a map of keys with numbers");
      const keys = pairs.map(([key]) => placeOf(key));
      if (keys.includes(-1)) throw unfit(name, `keys that are some of ${values.length}`);
      if (new Set(keys).size < keys.length) throw unfit(name, "keys that all differ, got one of them again");
      if (pairs.length > most) throw unfit(name, `at most ${most} keys`);
      const places = pairs.map(([, number]) => line.placed(line.within(line.exact(number))));
      const drawn = roundingDraw(random);
      const items = places.map(({ value, rest }, at) => ENDS * keys[at]! + (value as number) + Number(drawn < rest));
      return items.sort((one, other) => one - other);
    },
  };
}

/** The pairs of an object or a map; undefined for anything else. */
function pairsOf(answer: unknown): [string, unknown][] | undefined {
  if (answer instanceof Map) return [...answer];
  if (typeof answer !== "object" || answer === null) return undefined;
  // Of a class, or a list, the entries are not what was meant.
  const made = Object.getPrototypeOf(answer);
  return made === Object.prototype || made === null ? Object.entries(answer) : undefined;
}

export const sets: AnswerType = [["multi"], setReader];
export const pairs: AnswerType = [["key-value"], pairReader];
