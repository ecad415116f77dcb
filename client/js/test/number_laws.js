// Questions of type integer and number, and the mechanism dithered (src/fraction.ts, src/scale.ts, src/dithered.ts).

import { hex, toBytes } from "../dist/bytes.js";
import { exactly } from "../dist/fraction.js";
import { AnswerError, Client, RandomnessError, SurveyError, readSurvey } from "../dist/index.js";
import { alterations, compiledOf, holds, refusal, replay, reportsOf, same, surveyOf } from "./support.js";

const ODDS = { truth: "3", other: "1" };
const POINTS = { size: "100", low: "0", step: "1/2", outside: "refuse", unit: "hours", missing: ["NA", "?"] };
const HOURS = {
  name: "hours", type: "number", values: null, scale: POINTS, mechanism: "dithered",
  integers: { size: "100", grid: "99", levels: "3", ...ODDS },
};
const AGES = {
  name: "age", type: "number", values: null, mechanism: "grr", integers: { size: "3", ...ODDS },
  scale: { size: "3", edges: ["-1", "18", "65", "199/2"], outside: "refuse", unit: "", missing: [] },
};
const WHOLE = {
  name: "count", type: "integer", values: ["-1", "0", "1", "2"], mechanism: "dithered",
  integers: { size: "4", grid: "3", levels: "2", ...ODDS },
};
/** One bit for each point, with a permanent response. */
const KEPT = {
  ...HOURS, mechanism: "rappor",
  integers: { bits: "100", hashes: "0", cohorts: "1", word: "2", flip: "1", if_one: "3", if_zero: "1" },
};

const questionOf = async (described) => (await surveyOf([described])).questions[0];
const withScale = (question, changed) => ({ ...question, scale: { ...question.scale, ...changed } });

const asWritten = async () => {
  const cases = [
    [0, "0/1"], [-0, "0/1"], [39, "39/1"], [0.1, "1/10"], [-0.5, "-5/10"], [12.25, "1225/100"], [1e-7, "1/10000000"],
    [-1.25e-9, "-125/100000000000"], [2.5e21, `25${"0".repeat(20)}/1`], [0.1 + 0.2, `30000000000000004/1${"0".repeat(17)}`],
    [5e-324, `5/1${"0".repeat(324)}`], [2 ** 53, "9007199254740992/1"], [7n, "7/1"], [-7n, "-7/1"],
    [10n ** 399n, `1${"0".repeat(399)}/1`], [1n - 10n ** 400n, `-${"9".repeat(400)}/1`],
  ];
  for (const [answer, expected] of cases) same(exactly(answer).join("/"), expected, "the number");
  for (const answer of [NaN, Infinity, -Infinity, 10n ** 400n, -(10n ** 400n), "3", true, null, undefined, [3], { valueOf: () => 3 }]) {
    same(exactly(answer) === undefined, true, "whether it is no number");
  }
};

/** Where an answer comes to if it is rounded down. */
const placeOf = (question, answer) => question.value(answer, replay(new Uint8Array(8).fill(255)));

const placed = async () => {
  const cases = [
    [HOURS, {}, [[0, 0], [39, 78], [39.5, 79], [39.7, 79], [39.999, 79], [49.5, 99], [3n, 6]]],
    [HOURS, { outside: "clip" }, [[-0.001, 0], [1e300, 99], [-(10n ** 300n), 0], [49.5, 99], [49.50001, 99], [7.5, 15]]],
    [HOURS, { outside: "49/4" }, [[-1, 24], [50, 24], [49.5, 99], [0, 0]]],
    [HOURS, { outside: "0" }, [[-1, 0], [50, 0]]],
    [HOURS, { outside: "99/2" }, [[-1, 99], [50, 99]]],
    [HOURS, { step: "3/2" }, [[0, 0], [1.4, 0], [1.5, 1], [50, 33], [148.5, 99], [149, undefined]]],
    [HOURS, { low: "-4/3", step: "1/3" }, [[-1, 1], [0, 4], [-1.34, undefined], [31.6666, 98], [31.7, undefined]]],
    [AGES, {}, [[-1, 0], [17.999, 0], [18, 1], [64, 1], [65, 2], [99.5, 2], [-1.5, undefined], [99.6, undefined]]],
    [AGES, { outside: "clip" }, [[-2, 0], [100, 2], [18n, 1]]],
    [AGES, { outside: "18" }, [[-2, 1], [100, 1]]],
  ];
  for (const [described, changed, places] of cases) {
    const question = await questionOf(withScale(described, changed));
    for (const [answer, place] of places) {
      if (place === undefined) await refusal(async () => question.value(answer), AnswerError);
      else same(placeOf(question, answer), place, "the place");
    }
  }
  const most = { size: String(10n ** 15n + 1n), low: "0", step: "1" };
  const wide = { ...withScale(HOURS, most), integers: { ...HOURS.integers, size: most.size, grid: "4096" } };
  const question = await questionOf(wide);
  same([123456789012345, 10n ** 15n].map((answer) => placeOf(question, answer)), [123456789012345, 10 ** 15], "the place");
};

const untold = async () => {
  const others = [NaN, Infinity, -Infinity, "3", true, null, undefined, [3], 10n ** 400n];
  for (const [described, outside] of [[HOURS, [54321, -54321.5, 54321n]], [AGES, [54321]]]) {
    const question = await questionOf(described);
    for (const answer of [...others, ...outside]) {
      const error = await refusal(async () => question.value(answer, replay(new Uint8Array(0))), AnswerError);
      const { message } = error;
      holds(message.startsWith(`question ${described.name}: expected a number`), "the question is named");
      holds(message.endsWith("number") === others.includes(answer), "what is outside is told from what is no number");
      holds(!/54321|NaN|Inf|[0-9]{9}/.test(message), "the answer is not");
    }
  }
};

const rounded = async () => {
  const question = await questionOf(HOURS);
  for (const answer of [0, 3, 3.125, 49.5]) {
    const source = replay(new Uint8Array(64));
    question.value(answer, source);
    same(source.used, 8, "the bytes for rounding");
    await refusal(async () => question.value(answer, replay(new Uint8Array(7))), RandomnessError);
  }
  await refusal(async () => question.value(3, () => new Uint8Array(7)), RandomnessError);
  // 3.125 is a quarter of the way from point 6 to point 7, and 2^62 a quarter of 2^64.
  for (const [answer, drawn, place] of [
    [3.125, 0n, 7], [3.125, 2n ** 62n - 1n, 7], [3.125, 2n ** 62n, 6], [3.125, 2n ** 64n - 1n, 6],
    [3, 0n, 6], [3.499, 2n ** 63n, 7], [49.4, 0n, 99], [49.5, 0n, 99],
    // A fifth of the way is not a whole number over 2^64, and is rounded down.
    [3.1, 2n ** 64n / 5n - 1n, 7], [3.1, 2n ** 64n / 5n, 6],
  ]) {
    same(question.value(answer, replay(toBytes(drawn, 8))), place, "the point");
  }
  for (const described of [AGES, { ...AGES, mechanism: "later" }]) {
    same((await questionOf(described)).value(18, replay(new Uint8Array(0))), 1, "a cell, without a draw");
  }
  holds([6, 7].includes(question.value(3.125)), "the platform's randomness rounds, unless said otherwise");
};

const unrounded = async ({ storage }) => {
  const survey = await surveyOf([KEPT]);
  const [question] = survey.questions;
  same(question.value(3.5, replay(new Uint8Array(0))), 7, "the point, without a draw");
  const error = await refusal(async () => question.value(3.125), AnswerError);
  holds(error.message.endsWith("between two points"), "it is said what is wrong");
  await refusal(() => new Client(survey, { storage: storage() }).record("hours", 3.125), AnswerError);
  same((await new Client(survey, { storage: storage() }).record("hours", 3.5)).row.length, 13, "the width");
  // Without a permanent response each report is drawn anew, and so is the rounding.
  const fresh = await questionOf({ ...KEPT, integers: { ...KEPT.integers, flip: "0" } });
  same(fresh.value(3.125, replay(new Uint8Array(8))), 7, "the point above");
};

const unhashed = async () => {
  const integers = { ...KEPT.integers, hashes: "2" };
  for (const described of [{ ...KEPT, integers }, { ...KEPT, integers, scale: AGES.scale }]) {
    const question = await questionOf(described);
    same(question.answerable, false, "whether it can be answered");
    await refusal(async () => question.value(3), AnswerError);
  }
  const hashed = await questionOf({ ...WHOLE, mechanism: "rappor", integers });
  same([hashed.answerable, hex(hashed.value(-1))], [true, "2d31"], "a whole number, by its text");
};

const badScales = async () => {
  const ofSize = (size) => ({ ...withScale(HOURS, { size }), integers: { ...HOURS.integers, size } });
  const bad = [
    ofSize("1"), ofSize("0"), ofSize(String(10n ** 15n + 2n)), withScale(HOURS, { size: "99" }), withScale(HOURS, { low: undefined }),
    withScale(HOURS, { step: undefined }), withScale(HOURS, { step: "0" }), withScale(HOURS, { step: "-1" }),
    withScale(HOURS, { outside: "50" }), withScale(HOURS, { outside: "-1/9" }), withScale(AGES, { low: "0" }),
    withScale(AGES, { step: "1" }), withScale(AGES, { edges: [] }), withScale(AGES, { edges: ["0", "1", "2"] }),
    withScale(AGES, { edges: ["0", "1", "2", "3", "4"] }), withScale(AGES, { edges: ["0", "1", "1", "2"] }),
    withScale(AGES, { edges: ["1", "0", "2", "3"] }), withScale(AGES, { edges: ["0", "1", "3", "2"] }),
    withScale(AGES, { outside: "-2" }), withScale(AGES, { outside: "100" }),
    { ...HOURS, scale: undefined }, { ...HOURS, type: "integer" }, { ...WHOLE, scale: POINTS },
    { ...AGES, values: ["a", "b", "c"] },
  ];
  for (const described of bad) {
    const error = await refusal(() => surveyOf([described]), SurveyError);
    holds(error.message.startsWith(`question ${described.name}: expected `), `the question is named: ${error.message}`);
  }
  const malformed = [
    [HOURS, { size: "01" }], [HOURS, { low: "0.5" }], [HOURS, { step: "1/0" }], [HOURS, { step: "1/02" }],
    [HOURS, { low: "00" }], [HOURS, { low: 0 }], [HOURS, { low: "x1" }], [HOURS, { low: "1x" }],
    [HOURS, { low: "9".repeat(401) }], [HOURS, { low: `1/${"9".repeat(401)}` }], [HOURS, { outside: "wrap" }],
    [HOURS, { outside: "clips" }], [HOURS, { outside: "xclip" }], [HOURS, { outside: "" }], [HOURS, { outside: "1.5" }],
    [HOURS, { outside: "1 clip" }], [HOURS, { unit: null }], [HOURS, { missing: [3] }], [HOURS, { missing: "NA" }],
    [AGES, { edges: "0" }], [AGES, { edges: [0, 1, 2, 3] }],
  ];
  for (const [described, changed] of malformed) {
    const compiled = await compiledOf([described]);
    Object.assign(compiled.questions[0], withScale(described, changed));
    const error = await refusal(() => readSurvey(JSON.stringify(compiled)), SurveyError);
    const where = new RegExp(`^survey\\.questions\\[0\\]\\.scale\\.${Object.keys(changed)[0]}(\\[0\\])?: expected .*(text|list)$`);
    holds(where.test(error.message), `the place is named: ${error.message}`);
  }
  await refusal(() => surveyOf([{ ...HOURS, scale: null }]), SurveyError);
  await surveyOf([withScale(HOURS, { low: "9".repeat(400), step: `1/${"9".repeat(400)}` })]);
};

const altered = async () => {
  const compiled = JSON.parse(JSON.stringify(await compiledOf([HOURS, AGES, WHOLE])));
  await readSurvey(JSON.stringify(compiled));
  for (const other of alterations(compiled)) await refusal(() => readSurvey(JSON.stringify(other)), SurveyError);
};

const wholeNumbers = async () => {
  const question = await questionOf(WHOLE);
  for (const [answer, place] of [[-1, 0], [0, 1], [-0, 1], [2, 3], [-1n, 0], [2n, 3]]) {
    same(question.value(answer, replay(new Uint8Array(0))), place, "the place");
  }
  for (const answer of [3, -2, 0.5, 10n ** 30n, 1e21, NaN, Infinity, "0", true, null, [0]]) {
    const error = await refusal(async () => question.value(answer), AnswerError);
    same(error.message, "question count: expected a whole number from -1 to 2", "the message");
  }
};

const unbiased = async () => {
  // Values, steps of the grid, levels, odds of one; and the bounds of what is drawn.
  const designs = [
    [5, 4, 2, 3, [4, 4]], [5, 4, 3, 6, [4, 8]], [5, 2, 2, 7, [4, 2, 8]], [9, 4, 5, 4, [8, 4, 8]], [2, 1, 2, 3, [4]],
    [9, 1, 3, 2, [8, 4]],
  ];
  for (const [size, grid, levels, truth, bounds] of designs) {
    const values = Array.from({ length: size }, (_, value) => String(value));
    const integers = { size: String(size), grid: String(grid), levels: String(levels), truth: String(truth), other: "1" };
    const { randomizer, price } = await questionOf({ ...WHOLE, values, integers });
    same([randomizer.width, ...price.map(Number)], [grid > 1 ? 3 : 1, truth, 1], "the width and the price");
    for (const value of values.keys()) {
      const counts = {};
      let sum = 0;
      const reports = reportsOf(randomizer, value, bounds);
      for (const report of reports) {
        same(report.length, randomizer.width, "the width of a report");
        const [level, dither] = [report.at(-1), grid > 1 ? report[0] + 256 * report[1] : 0];
        counts[dither] = (counts[dither] ?? 0) + 1;
        // What a report is worth, times twice (truth - 1) (levels - 1): a whole number.
        const centred = (truth + levels - 1) * 2 * level - levels * (levels - 1);
        sum += grid * centred + (grid - 1 - 2 * dither) * (truth - 1);
      }
      same(sum * (size - 1), 2 * (truth - 1) * (levels - 1) * value * grid * reports.length, "the mean of all reports");
      same(Object.values(counts), new Array(grid).fill(reports.length / grid), "how often each dither came");
    }
  }
};

const windowed = async () => {
  // Numbers, places of a window, its odds to one, and the bound of the one draw.
  for (const [size, width, truth, bound] of [[5, 4, 3, 16], [3, 2, 3, 8], [2, 1, 7, 8], [4, 4, 7, 31], [5, 2, 6, 16]]) {
    const values = Array.from({ length: size }, (_, value) => String(value));
    const integers = { size: String(size), width: String(width), truth: String(truth), other: "1" };
    const { randomizer, price } = await questionOf({ ...WHOLE, mechanism: "square-wave", values, integers });
    same([randomizer.width, ...price.map(Number)], [1, truth, 1], "the width and the price");
    for (const value of values.keys()) {
      const counts = new Array(size + width - 1).fill(0);
      for (const [place] of reportsOf(randomizer, value, [bound])) counts[place] += 1;
      const expected = counts.map((_, place) => (place >= value && place < value + width ? truth : 1));
      same(counts, expected, "how often each place comes");
    }
  }
};

const wideWindow = async () => {
  const values = Array.from({ length: 200 }, (_, value) => String(value));
  const integers = { size: "200", width: "58", truth: "3", other: "1" };
  const { randomizer } = await questionOf({ ...WHOLE, mechanism: "square-wave", values, integers });
  // 174 + 199 = 373 equal chances, of which two bytes hold 175 times as many.
  const cases = [[199, 0, 199], [199, 173, 256], [199, 174, 0], [199, 372, 198], [0, 174, 58], [0, 372, 256]];
  for (const [value, drawn, place] of cases) {
    const report = randomizer.randomize(value, replay(Uint8Array.of(drawn & 255, drawn >> 8)));
    same([...report], [place & 255, place >> 8], "a place of two bytes");
  }
};

const byExample = async () => {
  // Halfway up a grid of 4, with dithers 0 to 3: levels 1, 1, 1, 1 of three, and 0, 0, 1, 1 of two.
  for (const [levels, expected] of [["3", [1, 1, 1, 1]], ["2", [0, 0, 1, 1]]]) {
    const integers = { size: "5", grid: "4", levels, ...ODDS };
    const { randomizer } = await questionOf({ ...WHOLE, values: ["0", "1", "2", "3", "4"], integers });
    const found = [0, 1, 2, 3].map((dither) => randomizer.randomize(2, replay(Uint8Array.of(dither, 0))));
    same(found.map((report) => [...report]), expected.map((level, dither) => [dither, 0, level]), "the reports");
  }
};

const throughClient = async ({ storage }) => {
  const survey = await surveyOf([HOURS, AGES, WHOLE]);
  const tape = Uint8Array.from({ length: 64 }, (_, at) => at);
  for (const [name, answers, width] of [["hours", [0, 3.125, 49.5, 7n], 3], ["age", [0, 64.5, 99], 1], ["count", [0, 2n], 3]]) {
    const drawn = [];
    for (const answer of answers) {
      const random = replay(tape);
      const { row } = await new Client(survey, { storage: storage(), random }).record(name, answer);
      same(row.length, width, "the width");
      drawn.push(random.used);
    }
    same(new Set(drawn).size, 1, "different numbers of bytes drawn");
  }
  const short = replay(tape.slice(0, 7));
  await refusal(() => new Client(survey, { storage: storage(), random: short }).record("hours", 3), RandomnessError);
  same(survey.questions.map(({ answerable }) => answerable), [true, true, true], "what can be answered");
  same(survey.question("hours").scale.unit, "hours", "the unit");
};

/** A tape of one byte for the place, and one for the symbol, behind the eight that round all numbers. */
const MINUTES = {
  name: "minutes", type: "key-value", values: ["mail", "chat"], mechanism: "pad-grr",
  scale: { size: "2", low: "0", step: "8", outside: "refuse", unit: "minutes", missing: [] },
  integers: { size: "4", most: "2", truth: "251", other: "1" },
};

const pairs = async () => {
  const question = await questionOf(MINUTES);
  same(question.answerable, true, "whether it can be answered");
  same(question.randomizer.ratio.join("/"), "252/2", "the ratio");
  const half = [0, 0, 0, 0, 0, 0, 0, 128];
  const items = (answer, word) => question.value(answer, replay(Uint8Array.from(word)));
  const below = [255, 255, 255, 255, 255, 255, 255, 127];
  same(items({ chat: 4, mail: 2 }, half), [0, 2], "numbers that go down");
  same(items({ chat: 4, mail: 2 }, below), [0, 3], "a number that goes up");
  same(items(new Map([["chat", 8n], ["mail", 0]]), half), [0, 3], "the ends");
  same(items({}, half), [], "no key");
  const others = [
    null, undefined, 3, "mail", ["mail"], [["mail", 1]], new Set(["mail"]), new Date(), { other: 1 }, { mail: "1" },
    { mail: 9 }, { mail: -1 }, { mail: NaN }, { mail: true }, { mail: null },
  ];
  for (const answer of others) {
    const refused = await refusal(() => question.value(answer, replay(new Uint8Array(8))), AnswerError);
    same(/other|mail|NaN/.test(refused.message), false, "whether the error tells the answer");
  }
  const fewer = await questionOf({ ...MINUTES, integers: { ...MINUTES.integers, most: "1" } });
  await refusal(() => fewer.value({ mail: 1, chat: 1 }, replay(new Uint8Array(8))), AnswerError);
  const wrong = [
    { scale: undefined }, { values: null }, { scale: { ...MINUTES.scale, size: "3" } }, { per_device: "last" },
    { integers: { ...MINUTES.integers, size: "2" } }, { type: "category" }, { type: "number" },
  ];
  for (const changed of wrong) await refusal(() => questionOf({ ...MINUTES, ...changed }), SurveyError);
};

export const NUMBER_LAWS = {
  "numbers are taken for what is written, exactly": asWritten,
  "a number has its point or cell, and those outside the one that the survey says": placed,
  "what is no number, or outside, is refused without being told": untold,
  "keys with numbers become signed items, and what is none is refused": pairs,
  "a number between two points is rounded by eight bytes, whatever it is": rounded,
  "a number with a permanent response is not rounded": unrounded,
  "numbers are not hashed, but whole ones by their texts": unhashed,
  "a scale that is none is refused, and where": badScales,
  "a survey of numbers that was altered anywhere is refused": altered,
  "whole numbers fit their question, or are refused": wholeNumbers,
  "the mean of what all dithered reports are worth is the value": unbiased,
  "a square wave is as high as its odds within the window, and even elsewhere": windowed,
  "a place of a square wave has two bytes where there are many": wideWindow,
  "a dithered report is the level that the dither makes": byExample,
  "numbers go through a client, and draw as many bytes whatever they are": throughClient,
};
