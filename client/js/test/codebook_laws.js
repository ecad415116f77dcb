// Questions of type vector, and the mechanism codebook (src/ball.ts, src/codewords.ts, src/codebook.ts).

import { root } from "../dist/ball.js";
import { CodebookResponse } from "../dist/codebook.js";
import { coordinates } from "../dist/codewords.js";
import { AnswerError, Client, MemoryStorage, SurveyError, readSurvey } from "../dist/index.js";
import { alterations, compiledOf, holds, refusal, replay, same, surveyOf } from "./support.js";

const BALL = { dimensions: 3, radius: "5/2", outside: "refuse" };
const INTEGERS = { dimensions: "3", words: "8", near: "2", truth: "5", other: "1", word: "64" };
const LOAD = { name: "load", type: "vector", values: null, ball: BALL, mechanism: "codebook", integers: INTEGERS };

const questionWith = async (ball = {}, other = {}) =>
  (await surveyOf([{ ...LOAD, ball: { ...BALL, ...ball }, ...other }])).questions[0];

const nothing = () => replay(new Uint8Array(0));

const untold = async () => {
  const question = await questionWith();
  const wrong = [
    [0.1, 0.2], [0.1, 0.2, 0.3, 0.4], [0.1, 0.2, "0.3"], [0.1, 0.2, NaN], [0.1, 0.2, Infinity], [0.1, 0.2, null],
    [2, 2, 2], "0.1 0.2 0.3", 0.1, null, undefined, { length: 3 }, [[0.1, 0.2, 0.3]], new Uint8Array(3),
  ];
  for (const answer of wrong) {
    const error = await refusal(async () => question.value(answer, nothing()), AnswerError);
    holds(error.message.startsWith("question load: expected"), "the question is named");
    holds(!error.message.includes("0.1"), "the answer is not repeated");
  }
};

const wholeNumbers = (question, answer) => {
  const { buffer } = question.value(answer, nothing());
  return [...new Int32Array(buffer)];
};

const rounded = async () => {
  const unit = 2 ** 30;
  const [refusing, clipping] = [await questionWith(), await questionWith({ outside: "clip" })];
  same(wholeNumbers(refusing, [2.5, 0, 0]), [unit, 0, 0], "the radius");
  same(wholeNumbers(refusing, [-2.5, 0n, 0]), [-unit, 0, 0], "the other way");
  same(wholeNumbers(refusing, Float32Array.of(0, 1.25, 0)), [0, unit / 2, 0], "half of it");
  same(wholeNumbers(refusing, [1.2e-9, -1.1e-9, -1.2e-9]), [1, 0, -1], "the nearest");
  same(wholeNumbers(refusing, [2.500001, 0, 0]), [unit, 0, 0], "a millionth more");
  same(wholeNumbers(clipping, [3e300, 4e300, 0]), [Math.round(0.6 * unit), Math.round(0.8 * unit), 0], "a long vector");
  for (const square of [0n, 1n, 2n, 3n, 4n, 15n, 16n, 10n ** 40n, 10n ** 40n - 1n]) {
    const found = root(square);
    holds(found * found <= square && (found + 1n) ** 2n > square, "the root is rounded down");
  }
};

const soundBalls = async () => {
  for (const ball of [{ dimensions: 1 }, { dimensions: 4097 }, { radius: "0" }, { radius: "-1" }, { outside: "wrap" }]) {
    await refusal(() => questionWith(ball), SurveyError);
  }
  await refusal(() => questionWith({ dimensions: 4 }), SurveyError);
  await refusal(() => questionWith({}, { values: ["a", "b"] }), SurveyError);
  await refusal(() => questionWith({}, { type: "text" }), SurveyError);
  await refusal(async () => surveyOf([{ ...LOAD, ball: undefined }]), SurveyError);
};

const altered = async () => {
  const compiled = JSON.parse(JSON.stringify(await compiledOf([LOAD])));
  same((await readSurvey(JSON.stringify(compiled))).question("load").ball, BALL, "the ball");
  for (const other of alterations(compiled)) await refusal(() => readSurvey(JSON.stringify(other)), SurveyError);
};

const oddsOfWords = async () => {
  const [words, near, truth, other] = [6, 2, 5n, 1n];
  const randomizer = new CodebookResponse(3, words, near, truth, other, 1);
  const question = await questionWith();
  const mass = Number(BigInt(near) * truth + BigInt(words - near) * other);
  // Of one bit each, a seed and a sign; the last draw is below 14, of which a byte up to 15 has each once.
  const laws = [[2.5, 0, 0], [0, -1, 1], [0, 0, 0]].map((answer) => {
    const often = new Map();
    const value = question.value(answer, nothing());
    for (const seed of [0, 1]) {
      for (const sign of [0, 1]) {
        for (let drawn = 0; drawn < mass; drawn += 1) {
          const report = randomizer.randomize(value, replay(Uint8Array.of(seed, sign, drawn))).join();
          often.set(report, (often.get(report) ?? 0) + 1);
        }
      }
    }
    return often;
  });
  for (const law of laws) {
    same(law.size, 2 * words, "every word of every seed may be sent");
    for (const [report, often] of law) {
      holds(laws.every((another) => often <= 5 * another.get(report)), "no odds above five to one");
    }
  }
  holds([...laws[0]].some(([report, often]) => often === 5 * laws[1].get(report)), "odds of five to one");
};

const normal = async () => {
  const table = coordinates();
  same(table.length, 65536, "the half-words");
  same([table[0], table[16384], table[32767], table[32768 + 32767]], [0, 173, 1107, -1107], "some coordinates");
  const square = table.reduce((sum, entry) => sum + entry * entry, 0) / table.length;
  holds(Math.abs(square / 65536 - 1) < 3e-5, "the variance");
};

const throughClient = async () => {
  const described = { ...LOAD, ball: { ...BALL, outside: "clip" } };
  const survey = await surveyOf([described, { ...described, name: "last", per_device: "last" }]);
  const used = [];
  for (const answer of [[0, 0, 0], [9, 9, 9], Float64Array.of(1, -1, 0.5)]) {
    const random = replay(new Uint8Array(200).fill(7));
    const { row } = await new Client(survey, { storage: new MemoryStorage(), random }).record("load", answer);
    same(row.length, 9, "the width");
    used.push(random.used);
  }
  same(new Set(used).size, 1, "different numbers of bytes drawn");
  const question = survey.question("last");
  same(question.value([[0, 0, 0], [1, 2, 0]], nothing()), survey.question("load").value([1, 2, 0], nothing()), "the last");
  holds(question.answerable, "it can be answered");
};

export const CODEBOOK_LAWS = {
  "a vector becomes whole numbers, no longer than the radius": rounded,
  "what is no vector, or too long, is refused without being told": untold,
  "a ball that is none is refused": soundBalls,
  "a survey of vectors that was altered anywhere is refused": altered,
  "near words have their odds over the others, and no more": oddsOfWords,
  "coordinates of words have the normal law": normal,
  "vectors go through a client, and draw as many bytes whatever they are": throughClient,
};
