// For tests/typescript/test_js_client.py: a compiled survey and the answers of respondents in; their report file out.

import { text } from "node:stream/consumers";

import { Client, readSurvey, reportBytes } from "../dist/index.js";

const { survey: source, respondents } = JSON.parse(await text(process.stdin));
const survey = await readSurvey(source);
const reports = [];
for (const answers of respondents) {
  const client = new Client(survey);
  for (const [name, answer] of Object.entries(answers)) reports.push(await client.record(name, answer));
}
process.stdout.write(reportBytes(reports, 100));
