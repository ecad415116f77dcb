// A device with many records, and several questions of which it answers one (src/contributions.ts, src/draws.ts).

import { concat, toBytes } from "../dist/bytes.js";
import { AlreadyAnsweredError, AnswerError, BudgetError, Client, NotDrawnError, SurveyError, readSurvey } from "../dist/index.js";
import { compiledOf, holds, refusal, replay, same, surveyOf } from "./support.js";

const ODDS = { truth: "3", other: "1" };
const POINTS = { size: "61", low: "0", step: "1", outside: "clip", unit: "", missing: [] };
const HOURS = {
  name: "hours", type: "number", values: null, scale: POINTS, mechanism: "dithered",
  integers: { size: "61", grid: "60", levels: "2", ...ODDS },
};
const COUNT = {
  name: "count", type: "integer", values: ["-1", "0", "1", "2"], mechanism: "dithered",
  integers: { size: "4", grid: "3", levels: "2", ...ODDS },
};
const MODE = { name: "mode", type: "category", values: ["car", "bus"], mechanism: "grr", integers: { size: "2", ...ODDS } };
const OTHER = { ...MODE, name: "other", integers: { size: "2", truth: "5", other: "1" } };
const KEPT = {
  ...MODE, name: "kept", mechanism: "rappor",
  integers: { bits: "2", hashes: "0", cohorts: "1", word: "2", flip: "1", if_one: "3", if_zero: "1" },
};

const of = async (described, perDevice) => (await surveyOf([{ ...described, per_device: perDevice }])).questions[0];
const down = (size = 24) => replay(new Uint8Array(size).fill(255));
const up = () => replay(new Uint8Array(24));

const aggregated = async () => {
  const cases = [
    [HOURS, "mean", [[[3], 3, 3], [[1, 2], 1, 2], [[70, -3, 0.5], 20, 21], [[0.1, 0.2, 0.3], 0, 1], [[10n, 20], 15, 15]]],
    [HOURS, "sum", [[[20, 20.5], 40, 41], [[50, 50], 60, 60], [[100, -90], 10, 10], [[-5], 0, 0]]],
    [HOURS, "last", [[[99, 3.5], 3, 4], [[3, 99], 60, 60]]],
    [COUNT, "mean", [[[-1, 0], 0, 1], [[2], 3, 3], [[-1n, 2, 2], 2, 2]]],
  ];
  for (const [described, perDevice, answers] of cases) {
    const question = await of(described, perDevice);
    for (const [answer, below, above] of answers) {
      same([question.value(answer, down()), question.value(answer, up())], [below, above], `the places of a ${perDevice}`);
    }
  }
  const total = await of(COUNT, "sum");
  same(total.value([5, -3, -1], replay(new Uint8Array(0))), 2, "a sum of whole numbers, without a draw");
  same((await of(MODE, "last")).value(["car", "bus"], replay(new Uint8Array(0))), 1, "the last text");
};

const bytesDrawn = async () => {
  for (const [described, perDevice, used] of [
    [HOURS, "mean", 8], [HOURS, "sum", 8], [HOURS, "last", 8], [HOURS, "one", 24], [COUNT, "mean", 8], [COUNT, "sum", 0],
    [COUNT, "one", 16], [MODE, "one", 16],
  ]) {
    const question = await of(described, perDevice);
    const record = described === MODE ? "car" : 1;
    for (const many of [1, 2, 100]) {
      const answer = perDevice === "sum" && described === COUNT ? [1] : new Array(many).fill(record);
      const source = replay(new Uint8Array(64));
      question.value(answer, source);
      same(source.used, used, "the bytes drawn");
    }
  }
};

const oneOfThem = async () => {
  const question = await of(MODE, "one");
  const third = (1n << 128n) / 3n;
  for (const [drawn, place] of [[0n, 0], [third, 0], [third + 1n, 1], [2n * third, 1], [2n * third + 1n, 0], [2n ** 128n - 1n, 0]]) {
    same(question.value(["car", "bus", "car"], replay(toBytes(drawn, 16))), place, "the record");
  }
  const refusing = await of({ ...HOURS, scale: { ...POINTS, outside: "refuse" } }, "one");
  for (const byte of [0, 255]) {
    await refusal(async () => refusing.value([3, 61], replay(new Uint8Array(24).fill(byte))), AnswerError);
  }
};

const noRecords = async () => {
  for (const described of [HOURS, COUNT]) {
    for (const perDevice of ["mean", "sum", "last", "one"]) {
      const question = await of(described, perDevice);
      for (const answer of [[], 3, "3", null, undefined, {}, { length: 1, 0: 3 }, [true], ["3"], [NaN], [null]]) {
        const error = await refusal(async () => question.value(answer, down()), AnswerError);
        holds(error.message.startsWith(`question ${described.name}: expected`), "the question is named");
      }
    }
  }
  for (const answer of [[3], [0.5], [2, -2]]) await refusal(async () => (await of(COUNT, "mean")).value(answer, down()), AnswerError);
  for (const answer of [[2, 1], [-1, -1]]) await refusal(async () => (await of(COUNT, "sum")).value(answer, down()), AnswerError);
  const plain = await of(HOURS, undefined);
  await refusal(async () => plain.value([3], down()), AnswerError);
  const compiled = await compiledOf([{ ...HOURS, per_device: "median" }]);
  await refusal(() => readSurvey(JSON.stringify(compiled)), SurveyError);
  const circle = await surveyOf([{ ...COUNT, circular: true }]);
  holds(circle.fingerprint !== (await surveyOf([COUNT])).fingerprint, "a circle is another question than a line");
  const open = await compiledOf([{ ...COUNT, circular: false }]);
  await refusal(() => readSurvey(JSON.stringify(open)), SurveyError);
};

const DRAWS = [{ questions: ["hours", "mode", "other"], weights: [2, 1, 1] }];

/** A survey with a draw, under fingerprints made here. */
async function drawing(draws = DRAWS, questions = [HOURS, MODE, OTHER, COUNT], groups = [], lifetime = null) {
  return readSurvey(JSON.stringify(await compiledOf(questions, lifetime, undefined, "laws", groups, draws)));
}

/** The names of the questions of which a client makes a report. */
async function answered(client, answers = { hours: 3, mode: "car", other: "bus", count: 1 }) {
  const names = [];
  for (const [name, answer] of Object.entries(answers)) {
    try {
      await client.record(name, answer);
      names.push(name);
    } catch (error) {
      if (!(error instanceof NotDrawnError)) throw error;
    }
  }
  return names;
}

const oneIsAnswered = async ({ storage }) => {
  const survey = await drawing();
  for (const [byte, expected] of [[0, "hours"], [1, "hours"], [2, "mode"], [3, "other"]]) {
    const kept = storage();
    const first = new Client(survey, { storage: kept, random: (size) => new Uint8Array(size).fill(byte) });
    same(await answered(first), [expected, "count"], "the questions answered");
    // Another client of the storage, whatever it would draw.
    const again = new Client(survey, { storage: kept });
    await refusal(() => again.record(expected, { hours: 4, mode: "bus", other: "car" }[expected]), AlreadyAnsweredError);
    same([await again.isDrawn(expected), await again.isDrawn("count")], [true, true], "what is drawn");
    for (const { name } of survey.questions.filter(({ draw, name }) => draw && name !== expected)) {
      same(await again.isDrawn(name), false, "what is not drawn");
    }
    await refusal(() => again.record("hours", "no number"), AnswerError);
  }
};

const severalAreAnswered = async ({ storage }) => {
  const two = [{ questions: ["hours", "mode", "other"], weights: [1, 1, 1], answers: 2 }];
  const survey = await drawing(two);
  const seen = new Set();
  for (const [first, second, expected] of [[0, 0, ["hours", "mode"]], [0, 1, ["hours", "other"]], [1, 1, ["mode", "other"]], [2, 0, ["hours", "other"]]]) {
    const kept = storage();
    // What rounds the first answer is drawn before.
    const tape = replay(concat([new Uint8Array(8), Uint8Array.of(first, second), new Uint8Array(64)]));
    const names = await answered(new Client(survey, { storage: kept, random: tape }));
    same(names, [...expected, "count"], "the questions answered");
    const again = new Client(survey, { storage: kept });
    same(await Promise.all(["hours", "mode", "other"].map((name) => again.isDrawn(name))), ["hours", "mode", "other"].map((name) => expected.includes(name)), "what is drawn");
    seen.add(names.join());
  }
  same(seen.size, 3, "the sets that are drawn");
  holds(survey.fingerprint !== (await drawing([{ ...two[0], answers: undefined }])).fingerprint, "the number is covered");
  // The two dearest have odds of 5 and 3, and count of 3: their product is below e^3.81, that of all above.
  const tight = new Client(survey, { storage: storage(), lifetimeCap: "3.81" });
  same((await answered(tight)).length, 3, "the questions answered under the cap of all three");
  for (const answers of [0, 1, 3, 4, "2"]) await refusal(() => drawing([{ ...two[0], answers }]), SurveyError);
};

const sameBytes = async ({ storage }) => {
  const survey = await drawing();
  for (const byte of [0, 2, 3]) {
    const traces = new Set();
    for (const hours of [0, 7.5, 60]) {
      for (const mode of ["car", "bus"]) {
        const source = replay(new Uint8Array(256).fill(byte));
        const client = new Client(survey, { storage: storage(), random: source });
        const names = await answered(client, { hours, mode, other: mode, count: 1 });
        traces.add(JSON.stringify([names, source.used]));
      }
    }
    same(traces.size, 1, "different reports, or numbers of bytes drawn");
  }
};

const dearest = async ({ storage }) => {
  // The dearest of the draw has odds of 5, and count of 3: their product is below e^2.71, and that of all far above.
  const survey = await drawing();
  for (let device = 0; device < 20; device += 1) {
    const client = new Client(survey, { storage: storage(), lifetimeCap: "2.71" });
    same((await answered(client)).length, 2, "the questions answered");
  }
  // An answer that cannot be paid for draws nothing anew.
  const tight = await drawing(DRAWS, undefined, [], { epsilon: "1.2", ratio: "3" });
  const kept = storage();
  const client = new Client(tight, { storage: kept, random: (size) => new Uint8Array(size).fill(3) });
  await refusal(() => client.record("other", "car"), BudgetError);
  const later = new Client(tight, { storage: kept, random: (size) => new Uint8Array(size) });
  same([await later.isDrawn("other"), await later.isDrawn("hours")], [true, false], "what stays drawn");
};

const badDraws = async () => {
  const draw = (questions, weights) => [{ questions, weights }];
  const bad = [
    draw(["hours"], [1]), draw(["hours", "mode"], [1]), draw(["hours", "hours"], [1, 1]), draw(["hours", "zoo"], [1, 1]),
    draw(["hours", "mode"], [0, 1]), draw(["hours", "mode"], [1, 65537]), draw(["hours", "mode"], [1, "1"]),
    [...DRAWS, { questions: ["hours", "count"], weights: [1, 1] }],
  ];
  for (const draws of bad) await refusal(() => drawing(draws), SurveyError);
  await refusal(() => drawing(draw(["kept", "mode"], [1, 1]), [KEPT, MODE]), SurveyError);
  await refusal(() => drawing(draw(["hours", "mode"], [1, 1]), [HOURS, MODE, OTHER], [["mode", "other"]]), SurveyError);
  const prints = new Set();
  for (const draws of [[], DRAWS, draw(["hours", "mode"], [1, 1]), draw(["hours", "mode"], [1, 2])]) {
    const survey = await drawing(draws);
    prints.add(survey.question("hours").fingerprint);
    same(survey.question("count").fingerprint, (await drawing([])).question("count").fingerprint, "that of others");
  }
  same(prints.size, 4, "the fingerprints");
};

export const ONCE_LAWS = {
  "many records are averaged or added up exactly, or the last is taken": aggregated,
  "as many bytes are drawn for one record as for many": bytesDrawn,
  "each of many records is as likely as another, and has to fit": oneOfThem,
  "no records, and what is no list of records, is refused": noRecords,
  "of several questions one is answered, and stays the same": oneIsAnswered,
  "of several questions as many are answered as the survey says": severalAreAnswered,
  "neither what is reported nor what is drawn depends on the answers to several questions": sameBytes,
  "limits count the dearest of several questions, and what was drawn stays": dearest,
  "a draw that is none is refused, and any other has its fingerprints": badDraws,
};
