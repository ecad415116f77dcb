// The TypeScript client, audited (docs/audit.md): `ldp client test SURVEY -- node client/js/test/audit.js`.
// Answers on standard input, frames on standard output. It does not fork, and says so with exit code 64.

import { mkdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

import * as errors from "../dist/errors.js";
import { Client, EmbeddedClient, MemoryStore, readSurvey, reportBytes } from "../dist/index.js";
import { FileStore } from "./file_store.js";

const UNKNOWN = 64;
const SILENT = [errors.AlreadyAnsweredError, errors.BudgetError, errors.NotDrawnError];
const PATIENCE = 60;
const NAP = 0.05;

if (process.env.LDP_AUDIT_FORK) process.exit(UNKNOWN);
const state = process.env.LDP_AUDIT_STATE;
const isAccepted = process.env.LDP_AUDIT_VERDICT !== "retry";
const survey = await readSurvey(readFileSync(process.env.LDP_AUDIT_COMPILED, "utf8"));
const groups = survey.groups ?? [];

function write(bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}

/** A device of an app, whose transport writes what leaves. */
function embedded(store) {
  const transport = {
    destination: "https://collect.example/v1/reports",
    async send(payload) {
      write(payload);
      return { verdict: isAccepted ? "accepted" : "offline" };
    },
  };
  return new EmbeddedClient(survey, { store, transport, lifetimeCap: "1000", interval: null, log: () => undefined });
}

/** Groups that are there as a whole together, and the rest one by one. */
async function recordAll(client, answers) {
  const rest = { ...answers };
  for (const names of groups.filter((names) => names.every((name) => name in rest))) {
    await client.recordTogether(Object.fromEntries(names.map((name) => [name, rest[name]])));
    for (const name of names) delete rest[name];
  }
  for (const [name, answer] of Object.entries(rest)) await client.record(name, answer);
}

/** Sends all that waits: who was told to wait does so for some seconds. */
async function sendAll(client) {
  const until = Date.now() + 1000 * PATIENCE;
  while ((await client.waiting()) && Date.now() < until) {
    await client.flush(PATIENCE);
    if (await client.waiting()) await sleep(1000 * NAP);
  }
}

/** One device, which answers all of these and sends what it has, answer by answer where that is taken. */
async function live(client, lives) {
  for await (const life of lives) {
    for (const answers of [life].flat()) {
      await recordAll(client, answers);
      if (isAccepted) await sendAll(client);
    }
  }
  // What is not taken is tried once.
  if (isAccepted) await sendAll(client);
  else await client.flush(NAP);
  await client.close();
}

async function* lines() {
  for await (const line of createInterface({ input: process.stdin })) yield JSON.parse(line);
}

/** A device that forgets, without a store or a queue. */
async function forget(device, life) {
  for (const answers of [life].flat()) {
    for (const [name, answer] of Object.entries(answers)) {
      try {
        write(reportBytes([await device.record(name, answer)]));
      } catch (error) {
        if (!SILENT.some((Kind) => error instanceof Kind)) throw error;
      }
    }
  }
}

/** Each line by a new device, with a state in a folder of its own. */
async function liveApart() {
  let number = 0;
  for await (const life of lines()) {
    const folder = join(state, String(number++));
    mkdirSync(folder);
    await live(embedded(new FileStore(join(folder, "device"))), [life]);
  }
}

if (process.env.LDP_AUDIT_EACH) await liveApart();
else if (state) await live(embedded(new FileStore(join(state, "device"))), lines());
else if (groups.length) for await (const life of lines()) await live(embedded(new MemoryStore()), [life]);
else for await (const life of lines()) await forget(new Client(survey), life);
