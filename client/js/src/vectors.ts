/** Answers that are vectors of numbers. */

import { type AnswerType, type Asked, type Reader, unfit } from "./answertype.js";
import { Ball } from "./ball.js";
import { SurveyError } from "./errors.js";
import { exactly } from "./fraction.js";

function readerOf({ name, ball: compiled }: Asked): Reader {
  if (!compiled) throw new SurveyError(`question ${name}: expected a ball`);
  const ball = new Ball(compiled, `question ${name}`);
  return {
    gives: "vectors",
    size: ball.dimensions,
    value: (answer) => {
      const isListed = Array.isArray(answer) || answer instanceof Float32Array || answer instanceof Float64Array;
      const numbers = isListed ? Array.from(answer as ArrayLike<unknown>, exactly) : [];
      const exact = numbers.filter((number) => number !== undefined);
      if (exact.length !== ball.dimensions || numbers.length !== exact.length) {
        throw unfit(name, `a list of ${ball.dimensions} numbers`);
      }
      const value = ball.value(exact);
      if (!value) throw unfit(name, "a vector no longer than its radius, got a longer one");
      return value;
    },
  };
}

export const vectors: AnswerType = [["vector"], readerOf];
