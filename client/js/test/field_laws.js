// Questions of type table, whose answers have fields (src/survey.ts).

import { AnswerError, SurveyError, readSurvey } from "../dist/index.js";
import { compiledOf, holds, refusal, same, surveyOf } from "./support.js";

const SMOKES = { name: "smokes", text: "", type: "boolean", values: ["false", "true"] };
const MODE = { name: "mode", text: "How?", type: "category", values: ["car", "bus", "walk"] };
const AGE = {
  name: "age", text: "", type: "number", values: null,
  scale: { size: "2", edges: ["0", "18", "99"], outside: "refuse", unit: "", missing: [] },
};
const POINTS = { size: "2", low: "0", step: "1", outside: "refuse", unit: "", missing: [] };
const TRIP = {
  name: "trip", type: "table", values: null, fields: [SMOKES, MODE, AGE], mechanism: "grr",
  integers: { size: "12", truth: "3", other: "1" },
};

async function cells() {
  const question = (await surveyOf([TRIP])).question("trip");
  same(question.answerable, true, "whether it can be answered");
  same(question.fields.map(({ name, text }) => [name, text]), [["smokes", ""], ["mode", "How?"], ["age", ""]], "the fields");
  same(question.value({ smokes: false, mode: "car", age: 17.5 }), 0, "the first cell");
  same(question.value({ age: 18, mode: "walk", smokes: false }), 5, "whatever the order");
  same(question.value({ smokes: true, mode: "walk", age: 99 }), 11, "the last cell");
}

async function unfit() {
  const question = (await surveyOf([TRIP])).question("trip");
  const all = { smokes: true, mode: "bus", age: 30 };
  const others = [{ smokes: true, mode: "bus" }, { ...all, more: 1 }, { smokes: true, mode: "bus", years: 30 }, {}];
  for (const answer of [...others, null, undefined, 3, "bus", true, [all], [true, "bus", 30]]) {
    const refused = await refusal(() => question.value(answer), AnswerError);
    holds(/an answer for each of the fields smokes, mode, age, by name/.test(refused.message), refused.message);
  }
  for (const [changed, where] of [[{ smokes: 1 }, "smokes"], [{ mode: "secret" }, "mode"], [{ age: 100 }, "age"]]) {
    const refused = await refusal(() => question.value({ ...all, ...changed }), AnswerError);
    holds(refused.message.startsWith(`question trip.${where}: expected`), refused.message);
    holds(!/secret|100/.test(refused.message), "no answer is repeated");
  }
}

async function badFields() {
  const bad = [
    { fields: undefined }, { type: "category" }, { fields: [SMOKES, MODE] }, { fields: [SMOKES, { ...MODE, values: null }, AGE] },
    { fields: [SMOKES, MODE, { ...AGE, scale: POINTS }] }, { fields: [SMOKES, MODE, { ...AGE, scale: undefined }] },
    { fields: [{ ...SMOKES, type: "table" }, MODE, AGE] }, { fields: [{ ...SMOKES, type: "text" }, MODE, AGE] },
  ];
  for (const changed of bad) await refusal(() => surveyOf([{ ...TRIP, ...changed }]), SurveyError);
}

async function covered() {
  const compiled = await compiledOf([TRIP]);
  const told = (fields) => ({ ...compiled, questions: [{ ...compiled.questions[0], fields }] });
  same((await surveyOf([TRIP])).fingerprint.length, 32, "a fingerprint");
  for (const fields of [
    "smokes", [SMOKES, MODE, { ...AGE, name: 3 }], [SMOKES, { ...MODE, values: ["bus", "car", "walk"] }, AGE], [MODE, SMOKES, AGE], [{ ...SMOKES, name: "drinks" }, MODE, AGE],
    [SMOKES, MODE, { ...AGE, scale: { ...AGE.scale, outside: "clip" } }],
  ]) {
    await refusal(() => readSurvey(JSON.stringify(told(fields))), SurveyError);
  }
  await readSurvey(JSON.stringify(told([{ ...SMOKES, text: "Do you?" }, MODE, AGE])));
}

export const FIELD_LAWS = {
  "an answer with fields is a cell of their table": cells,
  "an answer without a record for each field, or with one that does not fit, is refused and not repeated": unfit,
  "fields that are none, or do not fit the mechanism, are refused": badFields,
  "fingerprints cover fields, but not what people are asked": covered,
};
