// A device that is killed at any moment: `LDPKIT_KILLS=1000 node --test test/kills.test.js`.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { batchOf } from "./embedded_support.js";
import { alive, survey } from "./killed_device.js";
import { holds, same } from "./support.js";

const KILLS = Number(process.env.LDPKIT_KILLS ?? 12);
const DEVICE = fileURLToPath(new URL("killed_device.js", import.meta.url));
/** Milliseconds, at most, from the start of a life to its end. */
const MOMENTS = 60;

/** One life, and its end. */
function killed(folder, life) {
  return new Promise((resolve, reject) => {
    const device = spawn(process.execPath, [DEVICE, folder, String(life)], { stdio: ["ignore", "pipe", "inherit"] });
    device.on("error", reject).on("exit", (code) => (code === null ? resolve() : reject(new Error(`it ended by itself: ${code}`))));
    device.stdout.once("data", () => setTimeout(() => device.kill("SIGKILL"), Math.random() * MOMENTS));
  });
}

const lines = (path) => readFileSync(path, "utf8").split("\n").slice(0, -1);

test(`after ${KILLS} kills every charge has its report, once`, async () => {
  const folder = mkdtempSync(join(tmpdir(), "ldpkit-"));
  try {
    for (let life = 0; life < KILLS; life += 1) await killed(folder, life);
    for (let turn = 0, waiting = true; waiting && turn < 400; turn += 1) {
      const client = alive(folder, KILLS + turn);
      waiting = !(await client.flush());
      await client.close();
    }
    const client = alive(folder, KILLS + 400);
    same([(await client.status()).state, await client.waiting()], ["sound", 0], "what the store says in the end");
    const { charges } = await client.ledger();
    await client.close();

    const sent = lines(join(folder, "sent")).filter((line) => line.length % 2 === 0);
    const bytes = new Map(sent.map((line) => [batchOf(Buffer.from(line, "hex")), line]).map(([batch, line]) => [batch.id, { batch, line }]));
    for (const line of sent) same(bytes.get(batchOf(Buffer.from(line, "hex")).id).line === line, true, "whether an id has the same bytes");
    const reports = [...bytes.values()].flatMap(({ batch: { fingerprint, rows } }) => rows.map(() => fingerprint));
    const named = new Map(survey.questions.map(({ fingerprint, name }) => [fingerprint, name]));
    const once = reports.map((fingerprint) => named.get(fingerprint)).filter((name) => name !== "kept").sort();
    same(once, charges.map(({ question }) => question).filter((name) => name !== "kept").sort(), "the reports, and what was charged");
    same(new Set(once).size, once.length, "reports to different questions");
    const said = lines(join(folder, "said"));
    holds(said.length > 0 && said.every((name) => once.includes(name)), "what was recorded has arrived");
    const kept = charges.filter(({ question }) => question === "kept").length;
    const isReported = reports.some((fingerprint) => named.get(fingerprint) === "kept");
    holds(kept <= 3 && kept > 0 === isReported, "three answers cost three charges at most, and a report costs one");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
