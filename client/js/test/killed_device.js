// A device that answers and sends until it is killed: `node killed_device.js FOLDER LIFE` (see kills.test.js).

import { appendFileSync } from "node:fs";
import { join } from "node:path";

import { SQLiteStore } from "../dist/index.js";
import { CITY, KEPT, embedded } from "./embedded_support.js";
import { FileStore } from "./file_store.js";
import { surveyOf } from "./support.js";

export const ONCE = 200;
const DAY = 86_400_000;

/** One question that is answered again and again, and many that are answered once. */
export const survey = await surveyOf([KEPT, ...Array.from({ length: ONCE }, (_, number) => ({ ...CITY, name: `once${number}` }))]);

export function storeIn(folder) {
  const path = join(folder, "state");
  return process.getBuiltinModule?.("node:sqlite") ? new SQLiteStore(path) : new FileStore(path);
}

/** Delivers every time, and mostly says so. */
export function unsure(folder) {
  return {
    destination: "a file",
    send: async (payload) => {
      appendFileSync(join(folder, "sent"), `${Buffer.from(payload).toString("hex")}\n`);
      return { verdict: Math.random() < 0.75 ? "accepted" : "retry" };
    },
  };
}

/** A client in its nth life, which begins after all pauses. */
export function alive(folder, life) {
  const settings = { store: storeIn(folder), transport: unsure(folder), lifetimeCap: "1000", limits: { days: 100_000 } };
  return embedded(survey, settings, { now: () => Date.now() + 2 * life * DAY });
}

if (process.argv[2]) {
  const [folder, life] = process.argv.slice(2);
  const client = alive(folder, Number(life));
  process.stdout.write("alive\n");
  for (;;) {
    const name = `once${Math.floor(Math.random() * ONCE)}`;
    if (await client.record(name, "Bonn")) appendFileSync(join(folder, "said"), `${name}\n`);
    await client.record("kept", CITY.values[Math.floor(Math.random() * 3)]);
    if (Math.random() < 0.3) await client.flush();
    // Other work of the program.
    await new Promise((resolve) => setTimeout(resolve));
  }
}
