// Stores that come back from a backup (src/tapes.ts), or are of no use without a key of the platform's (src/vault.ts).

import { blake2b } from "../dist/blake2b.js";
import { concat, fromHex, hex } from "../dist/bytes.js";
import { RandomnessError, StateError, readSurvey, system } from "../dist/index.js";
import { transact } from "../dist/store.js";
import { tape } from "../dist/tapes.js";
import { Vault } from "../dist/vault.js";
import { CITY, Collector, HOME, KEPT, TOWN, batchOf, contentsOf, embedded, lasting, meddle, restore } from "./embedded_support.js";
import { compiledOf, holds, refusal, same, surveyOf } from "./support.js";

const NO_CAP = { lifetimeCap: "1000" };
const SECRETS = "s/secret/";

const hashed = async () => {
  const text = new TextEncoder().encode("abc");
  same(hex(blake2b(text, 64)), (
    "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
  ), "the hash in appendix A of RFC 7693");
  // The self-test of its appendix E: a hash of hashes of many sizes, with keys and without.
  const sequence = (size) => {
    let [one, other] = [Math.imul(0xDEAD4BAD, size), 1];
    return Uint8Array.from({ length: size }, () => {
      [one, other] = [other, (one + other) | 0];
      return other >>> 24;
    });
  };
  const hashes = [20, 32, 48, 64].flatMap((size) => [0, 3, 128, 129, 255, 1024].flatMap((length) => (
    [blake2b(sequence(length), size), blake2b(sequence(length), size, sequence(size))]
  )));
  const all = "c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475";
  same(hex(blake2b(concat(hashes), 32)), all, "that of all");
};

const replayed = async ({ read }) => {
  for (const { secret, parts, tape: expected } of (await read("tapes")).tapes) {
    const [whole, piecewise] = [1, 2].map(() => tape(fromHex(secret), ...parts.map(fromHex)));
    same(hex(whole(expected.length / 2)), expected, "the tape");
    const sizes = [0, 1, 62, 2, 0, 64, 21];
    same(sizes.map((size) => hex(piecewise(size))).join(""), expected, "the same in pieces");
  }
};

/** Gives nothing that a report could depend on: only what a queue and its pauses draw. */
const nothingElse = (size) => {
  if (size > 8) throw new RandomnessError(`${size} bytes were asked for`);
  return system(size);
};

const devices = async ({ read, store }) => {
  for (const { compiled, collector: destination, secret, answer, row, seconds, ids } of (await read("tapes")).devices) {
    for (const [place, at] of seconds.entries()) {
      const survey = await readSurvey(JSON.stringify(compiled));
      const kept = lasting(await store());
      const collector = new Collector([], destination);
      const open = (random) => embedded(survey, { store: kept, transport: collector, strict: true }, { random, now: () => 1000 * at });
      // Where the client keeps its secret it says by itself.
      await open(system).consent();
      await until(async () => [...(await contentsOf(kept)).keys()].some((key) => key.startsWith(SECRETS)));
      await transact(kept, [SECRETS], (records) => records.put(records.keys(SECRETS)[0], [secret]));
      const client = open(nothingElse);
      const isTogether = survey.groups.length > 0;
      same(await (isTogether ? client.recordTogether(answer) : client.record(survey.questions[0].name, answer)), true, "whether there is a report");
      same(await client.flush(), true, "whether it is sent");
      const [{ id, rows }] = collector.batches;
      same([rows, id], [[row], ids[place]], "the row, and the id of its batch");
    }
  }
};

async function until(condition) {
  for (let turn = 0; turn < 500; turn += 1) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  holds(false, "it comes to that");
}

/** What several lives send that begin from one backup; `settings` are for all. */
async function lives(survey, store, answers, settings = {}) {
  const kept = lasting(store);
  await embedded(survey, { store: kept }).consent();
  await until(async () => [...(await contentsOf(kept)).keys()].some((key) => key.startsWith(SECRETS)));
  const backup = await contentsOf(kept);
  const payloads = [];
  for (const answer of answers) {
    await restore(kept, backup);
    const collector = new Collector();
    const client = embedded(survey, { store: kept, transport: collector, strict: true, ...NO_CAP, ...settings });
    await answer(client);
    same(await client.flush(), true, "whether all is sent");
    payloads.push(...collector.payloads.map(hex));
  }
  return payloads;
}

const restored = async ({ store }) => {
  const hours = {
    ...CITY, name: "hours", type: "number", values: null, mechanism: "dithered", scale: { size: "61", low: "0", step: "1", outside: "clip", unit: "", missing: [] },
    integers: { size: "61", grid: "60", levels: "2", truth: "3", other: "1" },
  };
  for (const [question, answer] of [[CITY, "Bonn"], [hours, 7.3]]) {
    const survey = await surveyOf([question]);
    const again = new Array(20).fill((client) => client.record(question.name, answer));
    const payloads = await lives(survey, await store(), again);
    same([payloads.length, new Set(payloads).size], [20, 1], "what is sent, and what of it differs");
    const fresh = (await lives(survey, await store(), again, { rollbackSafe: false })).map(fromHex).map(batchOf);
    same(new Set(fresh.map(({ id }) => id)).size, 20, "the ids without");
    same(new Set(fresh.map(({ rows }) => rows[0])).size > 1, true, "whether reports differ without");
  }
};

const restoredTogether = async ({ store }) => {
  const group = await readSurvey(JSON.stringify(await compiledOf([CITY, KEPT], null, undefined, "laws", [["city", "kept"]])));
  const both = new Array(10).fill((client) => client.recordTogether({ city: "Bonn", kept: "Celle" }));
  same(new Set(await lives(group, await store(), both)).size, 1, "what differs of a group");
  const draws = [{ questions: ["city", "town"], weights: [1, 1] }];
  const drawn = await readSurvey(JSON.stringify(await compiledOf([CITY, TOWN], null, undefined, "laws", [], draws)));
  const either = new Array(10).fill(async (client) => {
    same((await client.record("city", "Bonn")) !== (await client.record("town", "Bonn")), true, "whether one is answered");
  });
  same(new Set(await lives(drawn, await store(), either)).size, 1, "what differs of a draw");
};

const keptAgain = async ({ store }) => {
  const survey = await surveyOf([HOME]);
  const kept = lasting(await store());
  await embedded(survey, { store: kept }).record("home", "Aachen");
  const backup = await contentsOf(kept);
  const responses = [];
  for (let life = 0; life < 5; life += 1) {
    await restore(kept, backup);
    await embedded(survey, { store: kept, ...NO_CAP }).record("home", "Bonn");
    const contents = [...(await contentsOf(kept))];
    responses.push(JSON.stringify(contents.filter(([key]) => /^s\/(cohort|permanent)\//.test(key)).sort()));
  }
  same(new Set(responses).size, 1, "what is kept that differs");
};

const otherAnswer = async ({ store }) => {
  // With one tape for both, some pairs of reports could not occur: each is missed with a chance below 1e-14.
  const survey = await surveyOf([{ ...CITY, integers: { size: "4", truth: "2", other: "1" } }]);
  const pairs = new Set();
  for (let device = 0; device < 200; device += 1) {
    const answers = ["Bonn", "Celle"].map((answer) => (client) => client.record("city", answer));
    const [one, other] = (await lives(survey, await store(), answers)).map(fromHex).map(batchOf);
    same(one.id === other.id, one.rows[0] === other.rows[0], "whether reports that differ have ids that do");
    pairs.add(`${Number(one.rows[0] === "01")} ${Number(other.rows[0] === "02")}`);
  }
  same(pairs.size, 4, "the pairs of truths and lies");
};

const unmarked = async ({ store }) => {
  const survey = await surveyOf([KEPT]);
  const payloads = await lives(survey, await store(), new Array(4).fill((client) => client.record("kept", "Bonn")));
  const batches = payloads.map(fromHex).map(batchOf);
  same(new Set(batches.map(({ id }) => id)).size, 4, "the ids of what may be repeated");
  same(new Set(batches.map(({ rows }) => rows[0])).size, 1, "the reports, each of one permanent response");
};

const KEY = new Uint8Array(32).map((_, at) => at);
const OTHER = new TextEncoder().encode("another key of some length");

/** `Vault(KEY).sealed(b"s" * 32, lambda size: bytes([1]) * size)` of the Python client. */
const SEALED = "01010101010101010101010101010101,89ebb4df7f42a604fff16e364b7db6650b424a840274d7173757a99cc909554a,82d979cc72b75e56";

const secretsIn = async (store) => [...(await contentsOf(store))].filter(([key]) => key.startsWith(SECRETS));

const sealed = async ({ store }) => {
  const survey = await surveyOf([KEPT, CITY]);
  for (const secret of [KEY, () => KEY, () => Promise.resolve(KEY)]) {
    const kept = lasting(await store());
    const open = (settings) => embedded(survey, { store: kept, ...NO_CAP, ...settings });
    await open().record("kept", "Bonn");
    const [[, plain]] = await secretsIn(kept);
    const own = JSON.parse(plain.slice(8))[0];
    same(own.length, 64, "the digits of a secret that is kept as it is");
    same(await open({ secret }).record("kept", "Bonn"), true, "whether it is reported once there is a key");
    const contents = JSON.stringify([...(await contentsOf(kept))]);
    holds(!contents.includes(own) && !contents.includes(hex(KEY)), "the store holds neither secret");
    const [[, before]] = await secretsIn(kept);
    await open({ secret }).record("kept", "Bonn");
    same([(await secretsIn(kept))[0][1], (await open({ secret }).ledger()).charges.length], [before, 1], "what is kept, and charged");
    for (const wrong of [undefined, OTHER, () => OTHER, () => new Uint8Array(3), () => "text".repeat(9), () => Promise.reject(new TypeError("hunter2"))]) {
      const told = [];
      const client = open({ secret: wrong, log: (message) => told.push(message) });
      same([await client.record("kept", "Bonn"), await client.record("city", "Bonn")], [false, false], "whether it is reported with another key");
      same([client.counts(), told.join().includes("hunter2")], [{ state: 2 }, false], "what is counted, and whether an error is repeated");
      same([(await secretsIn(kept))[0][1], (await client.ledger()).charges.length], [before, 1], "what is left as it was");
      await refusal(() => open({ secret: wrong, strict: true }).record("kept", "Bonn"), StateError);
    }
    same(await open({ secret }).record("kept", "Bonn"), true, "whether it is reported once the key is back");
    await open({ secret: OTHER }).rotate();
    same(await open({ secret: OTHER }).record("kept", "Bonn"), true, "whether it begins anew");
  }
  await refusal(async () => embedded(survey, { store: await store(), secret: KEY.subarray(0, 15) }), RangeError);
};

const seals = async () => {
  const vault = new Vault(KEY);
  await vault.fetch();
  const secret = new Uint8Array(32).fill(115);
  const records = [1, 2, 3].map((turn) => vault.sealed(secret, (size) => new Uint8Array(size).fill(turn)));
  same(new Set(records.map(([, own]) => own)).size, 3, "the seals of one secret");
  same(new Set(records.map((record) => hex(vault.opened(record)))).size, 1, "what they open to");
  // That of the Python client, by the same nonce.
  same(records[0].join(), SEALED, "a seal");
};

const locked = async ({ store }) => {
  const survey = await surveyOf([CITY]);
  let isLocked = true;
  let asked = 0;
  const secret = async () => {
    asked += 1;
    if (isLocked) throw new Error("locked");
    return KEY;
  };
  const client = embedded(survey, { store: lasting(await store()), secret });
  same(await client.record("city", "Bonn"), false, "whether it is recorded while the key store is locked");
  isLocked = false;
  same(await client.record("city", "Bonn"), true, "whether it is once it opens");
  const before = asked;
  await client.record("city", "Bonn");
  same([asked, client.counts()], [before, { state: 1, recorded: 1, answered: 1 }], "how often it is asked, and what is counted");
};

const erased = async ({ store }) => {
  const survey = await surveyOf([CITY]);
  const kept = lasting(await store());
  const client = embedded(survey, { store: kept });
  await client.record("city", "Bonn");
  const [[, text]] = await secretsIn(kept);
  await client.setConsent("forget");
  const own = JSON.parse(text.slice(8))[0];
  holds(!JSON.stringify([...(await contentsOf(kept))]).includes(own), "the secret is forgotten");
};

const daily = async ({ store }) => {
  const survey = await surveyOf([KEPT, CITY]);
  const now = Object.assign(() => now.at, { at: Date.UTC(2026, 10, 23, 23) });
  const client = embedded(survey, { store: await store(), ...NO_CAP }, { now });
  same([await client.recordDaily("kept", "Bonn"), await client.recordDaily("kept", "Celle")], [true, false], "on a day");
  same(await client.record("kept", "Bonn"), true, "whether it is recorded otherwise");
  now.at += 3_600_000;
  same([await client.recordDaily("kept", "Bonn"), await client.recordDaily("kept", "Bonn")], [true, false], "on the next, an hour later");
  same([client.counts(), await client.waiting()], [{ recorded: 3, daily: 2 }, 3], "the counts");
  same([await client.recordDaily("city", "Bonn"), client.counts().answer], [false, 1], "what is answered once");
  same((await client.ledger()).charges.length, 1, "the charges");
  same(await client.recordDaily("kept", "Entenhausen"), false, "whether what does not fit is recorded");
  now.at += 86_400_000;
  same([await client.recordDaily("kept", "Entenhausen"), await client.recordDaily("kept", "Bonn")], [false, true], "that it takes no day");
};

export const ROLLBACK_LAWS = {
  "BLAKE2b in plain code gives the hashes of RFC 7693": hashed,
  "tapes are those of the Python client": replayed,
  "a device's secret gives the reports, and the ids, of the Python client": devices,
  "a report that is made once is the same after a rollback, under the same id": restored,
  "so are those of a group and of a draw": restoredTogether,
  "cohort and permanent responses come back as well": keptAgain,
  "another answer after a rollback has a report of its own": otherAnswer,
  "what may be reported again has ids that link nothing": unmarked,
  "with a secret of the platform's, a store tells nothing without it": sealed,
  "a secret is sealed as by the Python client, otherwise each time": seals,
  "a key store that is locked is asked again, until it opens": locked,
  "forgetting takes the device's secret with it": erased,
  "what is recorded daily is reported once a day": daily,
};
