// What the laws of embedded clients share: questions, a collector, and a clock that can be set.

import { decode } from "@msgpack/msgpack";

import { hex } from "../dist/bytes.js";
import { EmbeddedClient } from "../dist/index.js";

const CITIES = ["Aachen", "Bonn", "Celle", "Dresden"];
/** One report of it costs ln(3). */
export const CITY = {
  name: "city", type: "category", values: CITIES, mechanism: "grr", integers: { size: "4", truth: "3", other: "1" },
};
export const TOWN = { ...CITY, name: "town" };
const ALMOST = String(2n ** 64n - 1n);
/** Its reports are permanent responses of 4 bits, all but unchanged, which cost ln(9) each. */
export const KEPT = {
  ...CITY, name: "kept", mechanism: "rappor", charges: 4,
  integers: {
    bits: "4", hashes: "0", cohorts: "1", word: "64", flip: String(2n ** 62n), if_one: ALMOST, if_zero: "0",
  },
};
/** The same of texts, with cohorts. */
export const HOME = {
  name: "home", type: "text", values: null, mechanism: "rappor", charges: 3,
  integers: { ...KEPT.integers, bits: "64", hashes: "2", cohorts: "8" },
};

/** Keeps what is sent, and answers as told, then that it is accepted. A function is called in place of an answer. */
export class Collector {
  constructor(outcomes = [], destination = "a collector") {
    this.payloads = [];
    this.outcomes = [...outcomes];
    this.destination = destination;
  }

  async send(payload, signal) {
    this.payloads.push(payload);
    const outcome = this.outcomes.shift() ?? { verdict: "accepted" };
    return typeof outcome === "function" ? outcome(payload, signal) : outcome;
  }

  /** What came, each batch once, however often it was sent. */
  get batches() {
    return [...new Map(this.payloads.map(batchOf).map((batch) => [batch.id, batch])).values()];
  }

  /** The rows that came, by fingerprint and as hexadecimal text. */
  get rows() {
    return this.batches.flatMap(({ fingerprint, rows }) => rows.map((row) => [fingerprint, row]));
  }
}

const HEAD = 16;

export function batchOf(payload) {
  const [, fingerprint, id, size, rows, combination = 0] = decode(payload.subarray(HEAD));
  const width = rows.length / size;
  const each = Array.from({ length: size }, (_, place) => hex(rows.subarray(place * width, (place + 1) * width)));
  return { fingerprint: hex(fingerprint), id: hex(id), rows: each, combination };
}

/** A clock in milliseconds, which stands still until it is set. */
export function clock(now = Date.UTC(2026, 10, 23)) {
  const read = () => read.at;
  read.at = now;
  read.pass = (seconds) => (read.at += 1000 * seconds);
  return read;
}

/** A client that sends at `flush` only, and is quiet, unless the settings say otherwise. */
export function embedded(survey, settings, means = {}) {
  return new EmbeddedClient(survey, { interval: null, log: () => undefined, ...settings }, means);
}

/** All that a store holds, by key. */
export async function contentsOf(store) {
  let all;
  await store.transact([""], (found) => ((all = new Map(found)), new Map()), false);
  return all;
}

/** The same store, of which nothing says that it forgets: as far as a client knows, it may come back from a backup. */
export function lasting(store) {
  return { transact: (...transaction) => store.transact(...transaction) };
}

/** Put a store back to what it held before. */
export async function restore(store, contents) {
  const work = (found) => new Map([...[...found.keys()].map((key) => [key, null]), ...contents]);
  await store.transact([""], work, false);
}

/** Change texts in a store as no client would. */
export async function meddle(store, change) {
  await store.transact([""], (found) => new Map([...found].map(([key, text]) => [key, change(key, text)])), false);
}
