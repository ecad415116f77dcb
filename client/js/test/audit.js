// The TypeScript client, audited (docs/audit.md): `ldp audit SURVEY --client "node client/js/test/audit.js"`.
// Answers on standard input, frames on standard output. It keeps no state here, does not fork, and says so with exit code 64.

import { readFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";

import * as errors from "../dist/errors.js";
import { Client, readSurvey, reportBytes } from "../dist/index.js";

const UNKNOWN = 64;
const SILENT = [errors.AlreadyAnsweredError, errors.BudgetError, errors.NotDrawnError];

if (process.env.LDP_AUDIT_STATE || process.env.LDP_AUDIT_FORK) process.exit(UNKNOWN);
const survey = await readSurvey(readFileSync(process.env.LDP_AUDIT_COMPILED, "utf8"));
const groups = survey.groups ?? [];
if (groups.length) process.exit(UNKNOWN);

function write(bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}

for await (const line of createInterface({ input: process.stdin })) {
  const device = new Client(survey);
  for (const answers of [JSON.parse(line)].flat()) {
    for (const [name, answer] of Object.entries(answers)) {
      try {
        write(reportBytes([await device.record(name, answer)]));
      } catch (error) {
        if (!SILENT.some((Kind) => error instanceof Kind)) throw error;
      }
    }
  }
}
