// Devices that answer a survey with `debug: true`: answers in; what was told, and what was sent, out. For
// tests/typescript/test_debug_view.py.

import { readSurvey } from "../dist/index.js";
import { MemoryStore } from "../dist/index.js";
import { Collector, embedded } from "./embedded_support.js";

const { survey: written, respondents, together } = JSON.parse(await process.stdin.toArray().then((parts) => Buffer.concat(parts)));
const survey = await readSurvey(written);
const told = [];
const collector = new Collector();
const open = (store) => embedded(survey, { store, transport: collector, debug: true, lifetimeCap: "1000", log: (message) => told.push(message) });
const shared = new MemoryStore();
for (const answers of respondents) {
  for (const [name, answer] of Object.entries(answers)) await open(shared).record(name, answer);
}
if (together) await open(shared).recordTogether(together);
await open(shared).flush();
process.stdout.write(JSON.stringify({ told, payloads: collector.payloads.map((payload) => Buffer.from(payload).toString("hex")) }));
