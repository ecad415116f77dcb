/** Answers that are one of some listed values, or any text. */

import { type AnswerType, type Asked, type Reader, composed, placesIn, unfit } from "./answertype.js";
import { utf8 } from "./bytes.js";
import type { Value } from "./randomizer.js";

const LONGEST_TEXT = 4096;

function readerOf({ name, type, values }: Asked): Reader {
  const isOpen = type === "text" || !values;
  const placeOf = placesIn(values ?? [], name);
  const value = (record: unknown): Value => {
    if (type === "boolean") {
      if (typeof record !== "boolean") throw unfit(name, "true or false");
      return Number(record);
    }
    if (type === "integer" && values) {
      const place = Number.isInteger(record) || typeof record === "bigint" ? placeOf(String(record)) : -1;
      if (place < 0) throw unfit(name, `a whole number from ${values[0]} to ${values.at(-1)}`);
      return place;
    }
    if (typeof record !== "string") throw unfit(name, "a text");
    if (isOpen) return textOf(record, name);
    const place = placeOf(record);
    if (place < 0) throw unfit(name, `one of ${values.length} values`);
    return place;
  };
  return { gives: isOpen ? "texts" : "values", size: values?.length, value };
}

function textOf(record: string, name: string): Value {
  const encoded = utf8(composed(record));
  if (!encoded.length || encoded.length > LONGEST_TEXT || /\p{Surrogate}/u.test(record)) {
    throw unfit(name, `a text of 1 to ${LONGEST_TEXT} bytes in UTF-8`);
  }
  return encoded;
}

export const choices: AnswerType = [["boolean", "category", "integer", "text"], readerOf];
