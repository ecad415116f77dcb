// What a device keeps for mechanisms with permanent responses, besides RAPPOR: a hash function, or a window.

import { hex } from "../dist/bytes.js";
import { Client } from "../dist/index.js";
import { tape } from "../dist/tapes.js";
import { holds, same, surveyOf } from "./support.js";

const VALUES = Array.from({ length: 40 }, (_, place) => `value ${place}`);
const CHOICE = { name: "choice", type: "category", values: VALUES, charges: 4 };
const CLEAR = String(10n ** 17n);
/** Its reports are buckets, all but unchanged, under the seed of a hash function. */
const HASHED = {
  ...CHOICE, mechanism: "loloha",
  integers: {
    size: "40", buckets: "4", truth: CLEAR, other: "1", modulus: String(2n ** 31n - 1n), fresh_truth: CLEAR, fresh_other: "1",
  },
};
const WINDOW = {
  ...CHOICE, mechanism: "dbitflip", integers: { size: "40", sampled: "3", flip: String(2n ** 62n), word: "64" },
};

/** `device` is what its randomness comes from: of 80 hash functions one has fewer than four buckets of these values. */
async function reportsOf(question, answers, storage, device = "a device") {
  const random = tape(new Uint8Array(32), device);
  const survey = await surveyOf([question]);
  const kept = storage();
  const rows = [];
  // A client for each answer, so that all they share is in the storage.
  for (const answer of answers) rows.push(hex((await new Client(survey, { storage: kept, lifetimeCap: "1000", random }).record("choice", answer)).row));
  return rows;
}

const seeds = async ({ storage }) => {
  const rows = await reportsOf(HASHED, VALUES, storage);
  const prefixes = new Set(rows.map((row) => row.slice(0, 16)));
  same(prefixes.size, 1, "the number of hash functions");
  const buckets = new Set(rows.map((row) => row.slice(16)));
  same(buckets.size, 4, "the number of buckets, for each of which there is a charge");
  same(await reportsOf(HASHED, VALUES, storage, "another").then(([row]) => prefixes.has(row.slice(0, 16))), false, "another device's");
};

const windows = async ({ storage }) => {
  const rows = await reportsOf(WINDOW, [...VALUES, ...VALUES], storage);
  same(new Set(rows.map((row) => row.slice(0, 4))).size, 1, "the number of windows");
  same(rows.slice(40), rows.slice(0, 40), "the reports of the same answers, which are permanent");
  // Of three values within, and all the others.
  holds(new Set(rows).size <= 4, "values outside the window share a response");
};

export const KEPT_LAWS = {
  "a device keeps its hash function, and a response for each bucket": seeds,
  "a device keeps its window, and a response for each value in it": windows,
};
