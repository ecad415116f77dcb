/** Answers that are numbers on a scale. */

import { type AnswerType, type Asked, type Line, type Reader, rounded, rounds, unfit } from "./answertype.js";
import { SurveyError } from "./errors.js";
import { type Fraction, exactly } from "./fraction.js";
import { Scale } from "./scale.js";

function readerOf(asked: Asked): Reader {
  const line = lineOf(asked);
  const placed: Reader["placed"] = (record) => line.placed(line.within(line.exact(record)));
  const isRounded = rounds(asked, line);
  return {
    gives: "values", size: line.size, line, placed,
    value: (answer, random) => rounded(placed(answer), isRounded, random, asked.name),
  };
}

/** The numbers of a question's scale, and how many points or cells it has. */
export function lineOf({ name, scale: compiled }: Asked): Line & { readonly size: number } {
  if (!compiled) throw new SurveyError(`question ${name}: expected a scale`);
  const scale = new Scale(compiled, `question ${name}`);
  return {
    size: scale.size,
    hasBetween: scale.hasPoints,
    exact: (record) => exactNumber(record, name),
    within: (number) => {
      const inside = scale.within(number);
      if (!inside) throw unfit(name, "a number on its scale, got one outside");
      return inside;
    },
    placed: (number) => scale.placed(number),
  };
}

function exactNumber(record: unknown, name: string): Fraction {
  const number = exactly(record);
  if (!number) throw unfit(name, "a number");
  return number;
}

export const numbers: AnswerType = [["number"], readerOf];
