/** Answers that are one of some listed values, or any text. */

import { type AnswerType, type Asked, type Reader, composed, placesIn, unfit } from "./answertype.js";
import { utf8 } from "./bytes.js";
import { SurveyError } from "./errors.js";
import { type Fraction, standIn } from "./fraction.js";
import type { Value } from "./randomizer.js";

const LONGEST_TEXT = 4096;

function readerOf({ name, type, values, outside }: Asked): Reader {
  const isOpen = type === "text" || !values;
  const placeOf = placesIn(values ?? [], name);
  if (outside !== undefined && outside !== "clip" && placeOf(outside) < 0) {
    throw new SurveyError(`question ${name}: expected a stand-in that is not outside itself`);
  }
  const value = (record: unknown): Value => {
    if (type === "boolean") {
      if (typeof record !== "boolean") throw unfit(name, "true or false");
      return Number(record);
    }
    if (type === "integer" && values) {
      const isWhole = Number.isInteger(record) || typeof record === "bigint";
      const [low, high] = [whole(values[0]!), whole(values.at(-1)!)];
      const counted = isWhole && standIn(whole(record as number | bigint), outside ?? "refuse", low, high);
      if (!counted) throw unfit(name, `a whole number from ${values[0]} to ${values.at(-1)}`);
      return Number(counted[0] - low[0]);
    }
    if (typeof record !== "string") throw unfit(name, "a text");
    if (isOpen) return textOf(record, name);
    const place = placeOf(record);
    if (place < 0) throw unfit(name, `one of ${values.length} values`);
    return place;
  };
  return { gives: isOpen ? "texts" : "values", size: values?.length, value };
}

function whole(number: string | number | bigint): Fraction {
  return [BigInt(number), 1n];
}

function textOf(record: string, name: string): Value {
  const encoded = utf8(composed(record));
  if (!encoded.length || encoded.length > LONGEST_TEXT || /\p{Surrogate}/u.test(record)) {
    throw unfit(name, `a text of 1 to ${LONGEST_TEXT} bytes in UTF-8`);
  }
  return encoded;
}

export const choices: AnswerType = [["boolean", "category", "integer", "text"], readerOf];
