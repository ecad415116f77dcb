// What a survey has to be, and what fits its questions (src/survey.ts, src/mechanisms.ts, src/checks.ts).

import { askedFor } from "../dist/budget.js";
import { AnswerError, SurveyError, readSurvey } from "../dist/index.js";
import { symbolWidth } from "../dist/randomizer.js";
import { compiledOf, holds, refusal, same, surveyOf } from "./support.js";

const PLAIN = { name: "asked", type: "category", values: ["a", "b"], mechanism: "grr" };
const GRR = { size: "2", truth: "3", other: "1" };
const RAPPOR = { bits: "16", hashes: "2", cohorts: "1", word: "2", flip: "1", if_one: "3", if_zero: "1" };
const BOOLEAN = { ...PLAIN, type: "boolean", values: ["false", "true"], integers: GRR };
const TEXT = { ...PLAIN, type: "text", values: null, mechanism: "rappor", integers: RAPPOR };
const HASHED = { ...TEXT, type: "category", values: ["a", "b"] };

/** What a survey may come to on a device that has spent nothing. */
const limitOf = ({ lifetime, questions }) => askedFor(lifetime, [1n, 1n], questions);

const unusable = async () => {
  const weights = (rows) => ({ mechanism: "matrix", integers: { weights: rows } });
  const bad = [
    { integers: { size: "2", truth: "3" } },
    { integers: { ...GRR, truth: [["3"]] } },
    { integers: { ...GRR, size: "3" } },
    { integers: { ...GRR, size: "4294967297" } },
    { values: null, integers: GRR },
    { integers: { ...GRR, truth: "1" + "0".repeat(18) } },
    { ...TEXT, integers: { ...RAPPOR, bits: "4294967297" } },
    weights([]),
    weights([["1", "2"], ["3"]]),
    weights("3"),
    weights([["1", "1"], ["1", "2"], ["2", "1"]]),
    { ...BOOLEAN, values: ["a"] },
  ];
  for (const changed of bad) {
    const error = await refusal(() => surveyOf([{ ...PLAIN, integers: GRR, ...changed }]), SurveyError);
    holds(error.message.includes("question asked"), "the question is named");
  }
  for (const [symbols, bytes] of [[1, 1], [256, 1], [257, 2], [65536, 2], [65537, 4]]) {
    same(symbolWidth(symbols), bytes, `the width of ${symbols} symbols`);
  }
  const wide = { ...TEXT, integers: { ...RAPPOR, bits: "4294967296" } };
  same((await surveyOf([wide])).questions[0].randomizer.width, 2 ** 29, "the width of the widest vector");
};

const malformed = async () => {
  const sound = await compiledOf([{ ...PLAIN, integers: GRR }]);
  await readSurvey(JSON.stringify(sound));
  await surveyOf([{ ...PLAIN, integers: GRR, charges: 1000 }]);
  const question = sound.questions[0];
  const bad = [
    "", "{", null, 3, [], "text", { ...sound, format: 2 }, { ...sound, epoch: 0 }, { ...sound, epoch: 1.5 },
    { ...sound, lifetime: {} }, { ...sound, lifetime: { epsilon: "e" } }, { ...sound, questions: {} },
    { ...sound, groups: [[1]] }, { ...sound, terms: "00" }, { ...sound, terms: `${"0".repeat(31)}g` },
    ...[{ charges: 0 }, { charges: 1001 }, { charges: "1" }, { integers: null }, { integers: [] }, { name: 3 },
      { integers: { ...GRR, truth: "03" } }, { integers: { ...GRR, truth: "-3" } }, { integers: { ...GRR, truth: 3 } },
      { integers: { ...GRR, truth: "3 " } }, { integers: { ...GRR, more: [3] } }, { values: "a" }, { values: [null] },
      { fingerprint: `${question.fingerprint} ` }].map((changed) => ({ ...sound, questions: [{ ...question, ...changed }] })),
  ];
  for (const each of bad) {
    const source = typeof each === "string" ? each : JSON.stringify(each);
    const error = await refusal(() => readSurvey(source), SurveyError);
    holds(/^survey[.:]/.test(error.message), `the place is named: ${error.message}`);
  }
};

const fit = async () => {
  const long = "ü".repeat(2048);
  const cases = [
    [BOOLEAN, [[false, 0], [true, 1]], ["true", "false", 1, 0, null, undefined]],
    [{ ...PLAIN, integers: GRR }, [["a", 0], ["b", 1]], ["c", "", 0, true, null, ["a"]]],
    [HASHED, [["a", "61"], ["b", "62"]], ["c", "", 1]],
    [TEXT, [["x", "78"], [long, "c3bc".repeat(2048)]], ["", `${long}x`, "\ud800", "x\udc00", 3, true, null]],
    [{ ...TEXT, values: ["x"] }, [["x", "78"], ["y", "79"]], [""]],
    [{ ...HASHED, type: "boolean", values: ["no", "yes"] }, [[false, "6e6f"], [true, "796573"]], ["no"]],
  ];
  for (const [described, fits, unfit] of cases) {
    const [question] = (await surveyOf([described])).questions;
    for (const [answer, expected] of fits) {
      const value = question.value(answer);
      const told = typeof value === "number" ? value : [...value].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      same(told, expected, "the value");
    }
    for (const answer of unfit) {
      const error = await refusal(async () => question.value(answer), AnswerError);
      holds(error.message.startsWith("question asked: expected "), "the question is named");
    }
  }
};

const unanswerable = async () => {
  const survey = await surveyOf([
    { ...PLAIN, integers: GRR },
    { ...PLAIN, name: "newer", mechanism: "later", integers: GRR },
    { ...PLAIN, name: "number", type: "multi", integers: GRR },
    { ...PLAIN, name: "left", integers: GRR },
    { ...PLAIN, name: "right", integers: GRR },
  ], null, undefined, "laws", [["left", "right"]]);
  same(survey.questions.map(({ answerable }) => answerable), [true, false, false, true, true], "what can be answered");
  same(survey.questions.map(({ inGroup }) => inGroup), [false, false, false, true, true], "what is in a group");
  for (const [name, way] of [["newer", "randomizer"], ["left", "alone"], ["right", "alone"]]) {
    const error = await refusal(async () => survey.question(name)[way], AnswerError);
    holds(error.message.includes(name), "the question is named");
  }
  await refusal(async () => survey.question("number").value("1"), AnswerError);
  await refusal(async () => survey.question("none"), AnswerError);
  same(limitOf(survey).map(String), [String(27n << 64n), String(1n << 64n)], "what it may spend");
};

const alike = async () => {
  const [composed, apart] = ["Genève".normalize("NFC"), "Genève".normalize("NFD")];
  const listed = (values, others) => surveyOf([{ ...PLAIN, values, integers: GRR, ...others }]);
  const { questions: [question] } = await listed([apart, "Bern"]);
  same([composed, apart, "Bern"].map((answer) => question.value(answer)), [0, 0, 1], "the values");
  await refusal(() => listed([composed, apart]), SurveyError);
};

const limits = async () => {
  const limit = async (...questions) => limitOf(await surveyOf(questions.map((each, at) => ({ ...each, name: `q${at}` }))));
  const dear = { ...PLAIN, integers: { ...GRR, truth: String(10n ** 17n) } };
  const written = ([top, bottom]) => `${top}/${bottom / 2n ** 64n}`;
  same(written(await limit({ ...TEXT, charges: 2 })), `${6561n << 64n}/1`, "two charges of 81");
  same(written(await limit({ ...PLAIN, integers: GRR }, { ...PLAIN, integers: GRR })), `${9n << 64n}/1`, "two of 3");
  const most = limitOf(await surveyOf([dear], { epsilon: "1000" }));
  same((await limit(...new Array(26).fill(dear))).map(String), most.map(String), "the limit of dear questions");
  same((await limit(...new Array(25).fill(dear))).map(String), [String(10n ** 425n << 64n), String(2n ** 64n)], "of fewer");
};

const unsorted = async () => {
  const questions = ["a", "b", "c", "d"].map((name) => ({ ...PLAIN, name, integers: GRR }));
  const pairs = [["a", "b"], ["c", "d"]];
  const made = async (asked, groups) => (await surveyOf(asked, null, undefined, "laws", groups)).fingerprint;
  const fingerprint = await made(questions, pairs);
  same(await made(questions, [...pairs].reverse()), fingerprint, "the fingerprint, with the groups the other way round");
  same(await made([...questions].reverse(), pairs), fingerprint, "the fingerprint, with the questions that way");
  same((await made(questions, [["b", "a"], ["c", "d"]])) === fingerprint, false, "whether the order in a group counts");
};

export const SURVEY_LAWS = {
  "a survey's fingerprint is that of its questions and groups, in any order": unsorted,
  "a survey whose integers make no randomizer is refused": unusable,
  "a survey that is not made as it should be is refused, and where": malformed,
  "answers fit their question, or are refused without being repeated": fit,
  "what this client cannot answer is told, and costs nothing": unanswerable,
  "a value is found in whichever form of Unicode, and is listed in one": alike,
  "a survey's limit is what all its questions may cost, or e^1000": limits,
};
