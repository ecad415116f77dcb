// How long `record` takes with a thousand reports that wait: `npm run bench`, or `node bench/record.js [CALLS]`, on each store
// that this Node has. In milliseconds: the time of the processor, and what a caller awaits. The second is of use on an idle
// machine alone; the first line says what a loop of .2 ms takes here.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { MemoryStore, SQLiteStore } from "../dist/index.js";
import { Collector, KEPT, embedded, lasting } from "../test/embedded_support.js";
import { surveyOf } from "../test/support.js";

const [WAITING, CALLS, LOOP] = [1000, Number(process.argv[2] ?? 4000), 0.2];

const folder = mkdtempSync(join(tmpdir(), "ldpkit-"));
const STORES = {
  memory: () => new MemoryStore(),
  "memory, drawn from the device's secret": () => lasting(new MemoryStore()),
  ...(process.getBuiltinModule?.("node:sqlite") && { SQLite: () => new SQLiteStore(join(folder, String(Math.random()))) }),
};
const QUEUES = { "1,000 and more wait": {}, "a full queue of 1,000": { limits: { reports: WAITING } } };

/** Says how long some work takes, call by call, with what else there is to do in between. */
async function measure(name, work) {
  const [used, awaited] = [[], []];
  for (let call = 0; call < CALLS; call += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    const [begun, usage] = [performance.now(), process.cpuUsage()];
    await work(call);
    const { user, system } = process.cpuUsage(usage);
    used.push((user + system) / 1000);
    awaited.push(performance.now() - begun);
  }
  const shown = [used, awaited].map((times) => {
    const sorted = times.sort((one, other) => one - other);
    return [0.5, 0.99].map((share) => sorted[Math.floor(share * (CALLS - 1))].toFixed(3)).join(", p99 ");
  });
  console.log(`${name}: processor median ${shown[0]}; awaited median ${shown[1]}`);
}

await measure(`a loop of ${LOOP} ms`, () => {
  const begun = performance.now();
  while (performance.now() - begun < LOOP);
});
const survey = await surveyOf([KEPT]);
for (const [name, make] of Object.entries(STORES)) {
  for (const [queue, settings] of Object.entries(QUEUES)) {
    const client = embedded(survey, { store: make(), transport: new Collector(), lifetimeCap: "1000", strict: true, ...settings });
    const record = (call) => client.record("kept", KEPT.values[call % 4]);
    for (let call = 0; call < WAITING; call += 1) await record(call);
    await measure(`${name}, ${queue}`, record);
    await client.close();
  }
}
rmSync(folder, { recursive: true });
