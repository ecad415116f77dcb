// One session of a device whose store is a file at a path: it records, and what it sends is what comes out, a line of hexadecimal
// digits for each payload. Nothing is recorded where nothing is answered. For tests/typescript/test_restored_stores.py.

import { SQLiteStore, readSurvey } from "../dist/index.js";
import { Collector, embedded } from "./embedded_support.js";
import { FileStore } from "./file_store.js";

const { survey: written, path, kind, answers, settings } = JSON.parse(await process.stdin.toArray().then((parts) => Buffer.concat(parts)));
const store = new { sqlite: SQLiteStore, file: FileStore }[kind](path);
const collector = new Collector([], "https://collect.example/v1/reports");
const client = embedded(await readSurvey(written), { store, transport: collector, strict: true, ...settings });
for (const [name, answer] of Object.entries(answers)) await client.record(name, answer);
await client.flush();
await client.close();
process.stdout.write(collector.payloads.map((payload) => `${Buffer.from(payload).toString("hex")}\n`).join(""));
