// For tests/typescript/test_js_client.py: a compiled survey and cases (question, answer, tape) in; prices and reports out.

import { text } from "node:stream/consumers";

import { fromHex, hex } from "../dist/bytes.js";
import { readSurvey } from "../dist/index.js";
import { replay } from "./support.js";

const { survey: source, cases } = JSON.parse(await text(process.stdin));
const survey = await readSurvey(source);
const reports = cases.map(({ name, answer, tape }) => {
  const question = survey.question(name);
  const random = replay(fromHex(tape));
  return { report: hex(question.randomizer.randomize(question.value(answer, random), random)), used: random.used };
});
const prices = Object.fromEntries(survey.questions.map(({ name, price }) => [name, price.map(String)]));
process.stdout.write(JSON.stringify({ prices, reports }));
