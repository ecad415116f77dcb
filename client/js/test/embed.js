// Devices that answer a survey through embedded clients, at first with a token that is wrong: JSON in, and what they say out.

import { EmbeddedClient, MemoryStore, readSurvey } from "../dist/index.js";

const { survey: written, devices, collector, token } = JSON.parse(await process.stdin.toArray().then((parts) => Buffer.concat(parts)));
const survey = await readSurvey(written);
const DAY = 86_400_000;

async function lived({ answers, together }) {
  const store = new MemoryStore();
  const open = (given, days) => new EmbeddedClient(
    survey, { store, collector, http: { token: given }, interval: null, log: () => undefined }, { now: () => Date.now() + days * DAY },
  );
  const first = open("ldp_wrong", 0);
  for (const [name, answer] of Object.entries(answers)) await first.record(name, answer);
  await first.recordTogether(together);
  const before = [await first.flush(), (await first.status()).reason, await first.waiting()];
  // A token that was renewed; no day passes for the collector.
  const second = open(token, 1);
  const after = [await second.flush(), second.counts(), await second.waiting()];
  return { before, after, spent: (await second.ledger()).epsilon() };
}

const outcomes = [];
for (const device of devices) outcomes.push(await lived(device));
process.stdout.write(JSON.stringify(outcomes));
