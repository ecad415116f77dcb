// For tests/typescript/test_relayed_reports.py: devices that send through a relay, straight or through a hop.

import { readFileSync } from "node:fs";

import { EmbeddedClient, MemoryStore, readSurvey } from "../dist/index.js";
import { ObliviousTransport, Relay } from "../dist/relay.js";

const { survey: compiled, address, hop, keys, key, devices } = JSON.parse(readFileSync(0, "utf8"));
const survey = await readSurvey(JSON.stringify(compiled));
const relay = new Relay(address, key, hop ? { transport: new ObliviousTransport(hop, address, keys) } : {});
const counts = [];
for (let device = 0; device < devices; device += 1) {
  const client = new EmbeddedClient(survey, { store: new MemoryStore(), relay, interval: null, strict: true });
  await client.record("other", "b");
  await client.flush();
  counts.push(client.counts());
  await client.close();
}
process.stdout.write(JSON.stringify(counts));
