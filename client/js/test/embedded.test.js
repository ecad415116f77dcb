// The laws of embedded clients, in Node, with a store as apps bring it, and with SQLite where there is one.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { MemoryStore, SQLiteStore, StateError } from "../dist/index.js";
import { transact } from "../dist/store.js";
import { DELIVERY_LAWS } from "./delivery_laws.js";
import { EMBEDDED_LAWS } from "./embedded_laws.js";
import { CITY, Collector, embedded } from "./embedded_support.js";
import { FileStore } from "./file_store.js";
import { ROLLBACK_LAWS } from "./rollback_laws.js";
import { STORE_LAWS } from "./store_laws.js";
import { holds, refusal, same, surveyOf } from "./support.js";

const folder = mkdtempSync(join(tmpdir(), "ldpkit-"));
after(() => rmSync(folder, { recursive: true }));

const VECTORS = new URL("../../../tests/vectors/", import.meta.url);
const read = async (name) => JSON.parse(readFileSync(new URL(`${name}.json`, VECTORS), "ascii"));

let number = 0;
const path = () => join(folder, String((number += 1)));
const HAS_SQLITE = process.getBuiltinModule?.("node:sqlite") !== undefined;

const STORES = {
  "a store of the app's": () => new FileStore(path()),
  ...(HAS_SQLITE && { SQLite: () => new SQLiteStore(path()) }),
};

for (const [name, store] of Object.entries(STORES)) {
  for (const [sentence, law] of Object.entries({ ...EMBEDDED_LAWS, ...DELIVERY_LAWS, ...STORE_LAWS, ...ROLLBACK_LAWS })) {
    test(`with ${name}, ${sentence}`, () => law({ read, store }));
  }
}

test("processes that share a SQLite file wait for one another, and no one else reads it", { skip: !HAS_SQLITE }, async () => {
  const [place, processes, times] = [path(), 4, 100];
  const script = fileURLToPath(new URL("counting_process.js", import.meta.url));
  const run = () => promisify(execFile)(process.execPath, [script, place, String(times)]);
  await Promise.all(Array.from({ length: processes }, run));
  same(await transact(new SQLiteStore(place), ["n"], (records) => records.get("n")), [processes * times], "what they come to");
  same(statSync(place).mode & 0o777, 0o600, "who may read it");
});

test("where Node has no SQLite, that is said", { skip: HAS_SQLITE }, async () => {
  await refusal(async () => new SQLiteStore(path()), StateError);
});

test("a port where no one listens is named, as Node says it", async () => {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "localhost", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  const client = embedded(await surveyOf([CITY]), { store: new MemoryStore(), collector: `http://localhost:${port}` });
  await client.record("city", "Bonn");
  await client.flush();
  const { outcome, reason, advice } = await client.status();
  same([outcome, reason], ["retry", "ECONNREFUSED"], "what became of it");
  holds(advice[0].includes("mistake in its port"), "the status says what to do");
});

test("LDP_DISABLED and DO_NOT_TRACK turn every client off", async () => {
  for (const name of ["LDP_DISABLED", "DO_NOT_TRACK"]) {
    process.env[name] = "1";
    const client = embedded(await surveyOf([CITY]), { store: new MemoryStore(), transport: new Collector() });
    delete process.env[name];
    same(await client.record("city", "Bonn"), false, "whether it is recorded");
    same([client.counts(), await client.consent(), await client.waiting()], [{ disabled: 1 }, "off", 0], "what there is");
    await client.flush();
    same((await client.status()).lastAttempt, undefined, "what is sent");
  }
});

test("mistakes of an app are named, and never taken in silence", async () => {
  const told = [];
  const survey = await surveyOf([CITY]);
  const settings = { store: new MemoryStore(), log: (message) => told.push(message) };
  const client = embedded(survey, settings);
  for (const said of [true, "yes", undefined]) await refusal(() => client.setConsent(said), RangeError);
  await refusal(async () => embedded(survey, { ...settings, lifetime_cap: "2" }), RangeError);
  await client.record("city", "Atlantis");
  await client.record("Atlantis", "city");
  await client.record("city", "Bonn");
  await client.record("city", "Bonn");
  same(told, ["ldpkit: answer: question city: AnswerError (logged once)", "ldpkit: answer: AnswerError (logged once)"], "what is told");
});

test("LDP_LOG_BATCHES has any app say what leaves", async () => {
  for (const [value, lines] of [["1", 2], ["0", 0], ["", 0]]) {
    process.env.LDP_LOG_BATCHES = value;
    const told = [];
    const settings = { store: new MemoryStore(), transport: new Collector(), log: (message) => told.push(message) };
    const client = embedded(await surveyOf([CITY]), settings);
    delete process.env.LDP_LOG_BATCHES;
    await client.record("city", "Bonn");
    await client.flush();
    same(told.length, lines, `what is told with ${value}`);
  }
});
