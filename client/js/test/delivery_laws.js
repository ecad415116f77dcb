// How an embedded client delivers (src/outbox.ts, src/sender.ts, src/transport.ts): on every store, with a clock that is set.

import { HTTPTransport } from "../dist/index.js";
import { CITY, Collector, KEPT, TOWN, clock, contentsOf, embedded, lasting } from "./embedded_support.js";
import { holds, refusal, same, surveyOf } from "./support.js";

const DAY = 86_400;
const LONGEST_HELD = 7200;
const NO_CAP = { lifetimeCap: "1000" };

/** A device with its own store, clock and collector, and a way to open a client on it. */
async function device({ store }, outcomes = [], described = [CITY, TOWN]) {
  const survey = await surveyOf(described);
  const [kept, now, collector] = [await store(), clock(), new Collector(outcomes)];
  const open = (settings = {}) => embedded(survey, { store: kept, transport: collector, ...NO_CAP, ...settings }, { now });
  return { survey, kept, now, collector, open };
}

async function until(condition) {
  for (let turn = 0; turn < 500 && !condition(); turn += 1) await new Promise((resolve) => setTimeout(resolve, 2));
  holds(condition(), "it comes to that");
}

/** Waits for an attempt, and for what came of it to be written down. */
async function answered(client, isSent) {
  await until(isSent);
  for (let turn = 0; turn < 500 && (await client.status()).outcome === "begun"; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

const sameBytes = async (place) => {
  const failures = 5;
  const { now, collector, open } = await device(place, new Array(failures).fill({ verdict: "retry" }));
  await open().record("city", "Bonn");
  for (let attempt = 1; attempt <= failures; attempt += 1) {
    same(await open().flush(), false, "whether all was sent");
    same(collector.payloads.length, attempt, "the attempts");
    const { pause, failures: inARow, outcome, lastAttempt } = await open().status();
    holds(pause <= 2 * 2 ** attempt, "a pause doubles at most");
    same([inARow, outcome, lastAttempt], [attempt, "retry", now.at], "the last attempt");
    await open().record("town", "Celle");
    now.pass(2 * 2 ** attempt);
  }
  const client = open();
  same([await client.flush(), client.counts()], [true, { accepted: 2 }], "what comes of it");
  same(new Set(collector.payloads.slice(0, failures + 1).map(String)).size, 1, "the different bytes that were sent");
  same((await client.status()).failures, 0, "the failures after a success");
};

const asked = async (place) => {
  const { now, collector, open } = await device(place, [{ verdict: "retry", wait: 5000 }]);
  await open().record("city", "Bonn");
  await open().flush();
  now.pass(4999);
  same([await open().flush(), collector.payloads.length], [false, 1], "before the collector wants it");
  now.pass(2);
  same(await open().flush(), true, "afterwards");
};

const byHand = async (place) => {
  for (const verdict of ["retry", "offline", "held"]) {
    const { collector, open } = await device(place, [{ verdict, wait: 5000 }, { verdict, wait: 5000 }]);
    const client = open();
    await client.record("city", "Bonn");
    same([await client.flush(), await client.flush(), collector.payloads.length], [false, false, 1], "without being asked");
    same([await client.flush(10, true), collector.payloads.length], [false, 2], `at once after ${verdict}`);
    same([await client.flush(10, true), collector.rows.length], [true, 1], "as often as a person asks");
    same(new Set(collector.payloads.map(String)).size, 1, "the different bytes");
  }
};

const underWay = async (place) => {
  const { now, collector, open } = await device(place, [() => new Promise(() => undefined)]);
  await open().record("city", "Bonn");
  void open({ timeout: 600 }).flush(0.001);
  await until(() => collector.payloads.length === 1);
  same([await open({ timeout: 600 }).flush(10, true), collector.payloads.length], [false, 1], "while it may be under way");
  now.pass(600);
  same([await open({ timeout: 600 }).flush(10, true), collector.payloads.length], [true, 2], "once it has had its time");
};

const before = async (place) => {
  const { now, collector, open } = await device(place, [() => new Promise(() => undefined)]);
  await open().record("city", "Bonn");
  // Of a page that is closed in the middle nothing comes back.
  void open({ timeout: 600 }).flush(0.001);
  await until(() => collector.payloads.length === 1);
  const { outcome, failures, pause } = await open().status();
  same([outcome, failures, pause >= 600], ["begun", 1, true], "what is known of it");
  same([await open().flush(), collector.payloads.length], [false, 1], "whether the next one sends at once");
  now.pass(604);
  same(await open().flush(), true, "whether it sends later");
  same(new Set(collector.payloads.map(String)).size, 1, "the different bytes");
};

const deadline = async (place) => {
  let signal;
  const { collector, open } = await device(place, [(_, given) => ((signal = given), new Promise(() => undefined))]);
  const client = open({ timeout: 0.02 });
  await client.record("city", "Bonn");
  same([await client.flush(5), client.counts().retry, signal.aborted], [false, 1, true], "what comes of no answer");
  same(collector.payloads.length, 1, "the attempts");
};

const verdicts = async (place) => {
  const cases = [
    ["accepted", 0, true, {}], ["duplicate", 0, true, {}], ["quarantined", 0, true, {}], ["offline", 2, false, {}], ["late", 0, false, { late: 2 }], ["early", 0, false, { early: 2 }],
    ["rejected", 0, false, { rejected: 2 }], ["refused", 0, false, { refused: 2 }], ["held", 2, false, {}],
  ];
  for (const [verdict, waiting, isWhole, dropped] of cases) {
    const { now, collector, open } = await device(place, [{ verdict, reason: "status 401" }], [KEPT]);
    const told = [];
    const client = open({ log: (message) => told.push(message) });
    for (const answer of ["Aachen", "Bonn"]) await client.record("kept", answer);
    same(await client.flush(), isWhole, `whether all is well after ${verdict}`);
    same(client.counts(), { recorded: 2, [verdict]: 1 }, "the counts");
    const status = await client.status();
    same([status.waiting, status.dropped], [waiting, dropped], `what is left after ${verdict}`);
    same(told.length, ["accepted", "duplicate"].includes(verdict) ? 0 : 1, "what is logged");
    if (verdict === "offline") holds(status.pause <= 20, "without a network it waits for seconds");
    if (verdict !== "held") continue;
    holds(status.pause >= LONGEST_HELD / 2 && status.advice[0].includes("token"), "it waits for long, and the status says why");
    same([await client.flush(), await open().flush()], [false, true], "whether it comes at once, and once the app was opened anew");
    same(collector.rows.length, 2, "the reports");
  }
};

const nonsense = async (place) => {
  const outcomes = [() => undefined, () => ({ verdict: "fine" }), () => ({ verdict: "retry", wait: NaN }), () => {
    throw new TypeError("no");
  }];
  const { now, collector, open } = await device(place, outcomes);
  const client = open();
  await client.record("city", "Bonn");
  for (const _ of outcomes) {
    same(await client.flush(), false, "whether all was sent");
    now.pass(DAY);
  }
  same([await client.flush(), collector.rows.length, client.counts().retry], [true, 1, outcomes.length], "what comes in the end");
};

const overdue = async (place) => {
  const { now, collector, open } = await device(place);
  const first = open({ interval: 3600 });
  await first.record("city", "Bonn");
  const { nextDue } = await first.status();
  holds(nextDue > 0 && nextDue <= 7200, "an upload is due");
  await first.close();
  now.pass(nextDue / 2);
  const second = open({ interval: 3600 });
  same(Math.round((await second.status()).nextDue), Math.round(nextDue / 2), "when it is due, after a restart");
  await second.close();
  same(collector.payloads.length, 0, "what was sent before");
  now.pass(nextDue / 2 + 1);
  const third = open({ interval: 3600 });
  await until(() => collector.payloads.length === 1);
  await until(() => third.counts().accepted === 1);
  await third.close();
};

const sessions = async (place) => {
  // A minute a day, the first ones offline.
  const offline = 5;
  const { now, collector, open } = await device(place, new Array(offline).fill({ verdict: "retry", reason: "TypeError" }));
  for (let day = 0; day < offline + 3; day += 1) {
    const client = open({ interval: 3600 });
    if (!day) await client.record("city", "Bonn");
    await client.status();
    // From the next day on it sends by itself, and the answer comes within the minute, however busy the machine.
    if (day && day <= offline + 1) await answered(client, () => collector.payloads.length >= day);
    else await new Promise((resolve) => setTimeout(resolve, 10));
    await client.close();
    now.pass(DAY);
  }
  same([collector.rows.length, collector.payloads.length], [1, offline + 1], "reports that came, and attempts");
};

const clocks = async (place) => {
  const { now, collector, open } = await device(place, [{ verdict: "retry", wait: DAY }]);
  const today = now.at;
  now.at = 0;
  await open().record("city", "Bonn");
  now.pass(60 * 365 * DAY);
  same(await open().flush(), false, "what comes of a failure while the clock is ahead");
  now.at = today;
  const client = open();
  await client.record("town", "Bonn");
  same([await client.flush(), collector.rows.length], [true, 2], "whether all is sent once it is right");
  same((await client.status()).dropped, {}, "what was dropped");
};

const aged = async (place) => {
  const { now, collector, open } = await device(place, new Array(50).fill({ verdict: "retry" }));
  const old = open();
  await old.record("city", "Bonn");
  for (let day = 0; day < 32; day += 1) {
    now.pass(DAY);
    await old.flush();
    if (day === 20) await old.record("town", "Bonn");
  }
  same([await old.waiting(), old.counts()["too-old"], (await old.status()).dropped], [1, 1, { "too-old": 1 }], "what is left after 32 days");
  holds(collector.payloads.length > 30, "it was tried");
  const { open: other } = await device(place, [], [KEPT]);
  const full = other({ limits: { reports: 3 } });
  for (let turn = 0; turn < 10; turn += 1) await full.record("kept", "Bonn");
  same(await full.flush(), false, "whether all has arrived");
  same([full.counts()["queue-full"], full.counts().recorded], [7, 10], "what was dropped, the oldest first");
};

const unread = async (place) => {
  const [LIMIT, CALLS, SLACK] = [560, 300, 16];
  const survey = await surveyOf([CITY, KEPT]);
  const kept = await place.store();
  const read = [];
  const transact = (prefixes, work, durable) => kept.transact(prefixes, (found) => {
    read.push([...found.keys()].filter((key) => key.includes("/report/")).length);
    return work(found);
  }, durable);
  const client = embedded(survey, { store: { ...lasting(kept), transact }, limits: { reports: LIMIT }, ...NO_CAP });
  const record = async (times) => {
    read.length = 0;
    for (let turn = 0; turn < times; turn += 1) await client.record("kept", KEPT.values[turn % 4]);
    return read.reduce((sum, number) => sum + number, 0);
  };
  same(await record(LIMIT) <= 2 * SLACK, true, "whether what waits is read by no report that joins it, but for one of the first");
  await client.record("city", "Bonn");
  const rows = await record(CALLS);
  holds(rows < CALLS * 10, `a full queue reads some of it, once in ${SLACK} reports: ${rows} rows`);
  const [waiting, full] = [await client.waiting(), client.counts()["queue-full"]];
  same(waiting + full, LIMIT + CALLS + 1, "what waits, and what was dropped");
  holds(waiting <= LIMIT + SLACK, "what waits is bounded");
  same((await client.status()).droppedFrom, { kept: { "queue-full": full } }, "the question that it was dropped from");
};

const expendable = async (place) => {
  const { now, collector, open } = await device(place, [], [CITY, TOWN, KEPT]);
  const client = open({ limits: { reports: 5 } });
  await client.record("city", "Bonn");
  await client.record("town", "Bonn");
  now.pass(DAY);
  for (let turn = 0; turn < 100; turn += 1) await client.record("kept", KEPT.values[turn % 4]);
  await client.flush();
  same(collector.batches.map(({ rows }) => rows.length).sort(), [1, 1, 3], "the reports that arrive");
  same((await client.status()).droppedFrom, { kept: { "queue-full": 97 } }, "what was dropped");
  const few = open({ limits: { reports: 1 } });
  for (let turn = 0; turn < 20; turn += 1) await few.record("kept", "Bonn");
  same([await few.flush(), await few.waiting()], [false, 0], "whether all has arrived");
};

const lastResort = async (place) => {
  const names = ["one", "two", "three", "four"];
  const { now, collector, open } = await device(place, [], names.map((name) => ({ ...CITY, name })));
  const client = open({ limits: { reports: 2 } });
  for (const name of names) {
    await client.record(name, "Bonn");
    now.pass(DAY);
  }
  await client.flush();
  same(collector.rows.length, 2, "the reports that arrive");
  same((await client.status()).droppedFrom, { one: { "queue-full": 1 }, two: { "queue-full": 1 } }, "the oldest, which were dropped");
};

const lastingNumbers = async (place) => {
  for (const verdict of ["late", "early", "rejected", "refused", "quarantined"]) {
    const { open } = await device(place, [{ verdict }, { verdict }], [KEPT, CITY]);
    const client = open();
    for (const answer of ["Aachen", "Bonn"]) await client.record("kept", answer);
    await client.record("city", "Bonn");
    await client.flush();
    await client.record("kept", "Bonn");
    same(await client.flush(), true, "whether the next one arrives");
    const status = await open().status();
    const [dropped, from] = verdict === "quarantined" ? [{}, {}] : [{ [verdict]: 3 }, { kept: { [verdict]: 2 }, city: { [verdict]: 1 } }];
    same([status.outcome, status.dropped, status.quarantined], ["accepted", dropped, verdict === "quarantined" ? 3 : 0], "what is known");
    same(Object.entries(status.droppedFrom).sort(), Object.entries(from).sort(), "by question");
    same([status.advice.length, status.advice[0].startsWith(`3 reports, ${verdict}: `)], [1, true], "what to do");
    holds(String(status).includes(`3 ${verdict}`), "it is said in words");
  }
};

const inWords = async (place) => {
  const { collector, open } = await device(place, [{ verdict: "held", reason: "status 401" }]);
  const other = open({ transport: new Collector([], "elsewhere") });
  await other.record("city", "Bonn");
  const client = open();
  await client.record("town", "Bonn");
  await client.flush();
  same(collector.payloads.length, 1, "the attempts");
  same(String(await client.status()).split("\n"), [
    "Store: sound", "Consent: on (the person said: never asked)", "Waiting: 1 reports, and 1 for other surveys or collectors",
    "Last attempt: 2026-11-23 00:00:00 UTC, held (status 401)", "Next upload: at flush only", "Dropped: nothing",
    "Since this client was opened: 1 recorded, 1 held",
    ...(await client.status()).advice.map((sentence) => `To do: ${sentence}`),
  ], "the status, in words");
  await client.setConsent("forget");
  const { dropped, droppedFrom, elsewhere } = await client.status();
  same([dropped, elsewhere], [{ forgotten: 2 }, 0], "what was forgotten");
  same(Object.keys(droppedFrom).sort(), ["city", "town"], "of which questions");
};

const unreachable = async (place) => {
  for (const [error, verdict, reason, hint] of [
    [new TypeError("fetch failed", { cause: { code: "ENOTFOUND" } }), "offline", "ENOTFOUND", "mistake in its name"],
    [new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } }), "retry", "ECONNREFUSED", "mistake in its port"],
    [new TypeError("fetch failed", { cause: { code: "CERT_HAS_EXPIRED" } }), "retry", "CERT_HAS_EXPIRED", "certificate"],
    [new TypeError("fetch failed", { cause: { code: "a telling Bonn" } }), "retry", "TypeError", "--allow-origin"],
    [new TypeError("Failed to fetch"), "retry", "TypeError", "--allow-origin"],
  ]) {
    const { open } = await device(place, [() => Promise.reject(error)]);
    const client = open();
    await client.record("city", "Bonn");
    await client.flush();
    const status = await client.status();
    same([status.outcome, status.reason], [verdict, reason], "what became of it");
    holds(status.advice.length === 1 && status.advice[0].includes(hint), `it says ${hint}`);
  }
};

const unset = async (place) => {
  for (const epoch of [undefined, 3600]) {
    const survey = await surveyOf([CITY], null, epoch);
    const client = embedded(survey, { store: await place.store(), transport: new Collector() }, { now: clock(0) });
    await client.record("city", "Bonn");
    same((await client.status()).advice.some((sentence) => sentence.includes("clock")), epoch !== undefined, "whether the clock matters");
  }
};

const unordered = async (place) => {
  const firsts = new Set();
  for (let turn = 0; turn < 60 && firsts.size < 2; turn += 1) {
    const { collector, open } = await device(place, [], [KEPT]);
    const client = open();
    for (const answer of ["Aachen", "Bonn"]) await client.record("kept", answer);
    await client.flush();
    const { rows } = collector.batches[0];
    // A permanent response of `Aachen` is kept, and comes once more: it was made first.
    await client.record("kept", "Aachen");
    await client.flush();
    if (rows[0] !== rows[1]) firsts.add(rows.indexOf(collector.batches[1].rows[0]));
  }
  same(firsts.size, 2, "the orders");
};

const tabs = async (place) => {
  const { collector, open } = await device(place, [async () => ({ verdict: "accepted" })], [KEPT]);
  const [one, other] = [open(), open()];
  for (let turn = 0; turn < 10; turn += 1) await (turn % 2 ? one : other).record("kept", "Bonn");
  const arrived = await Promise.all([one.flush(), other.flush(), one.flush()]);
  same([collector.payloads.length, collector.rows.length], [1, 10], "what was sent");
  same(arrived, [true, true, true], "what each says of it");
};

const dated = async (place) => {
  const survey = await surveyOf([CITY], null, 3600);
  const [now, collector] = [clock(0), new Collector()];
  const client = embedded(survey, { store: await place.store(), transport: collector }, { now });
  await client.record("city", "Bonn");
  now.at = 497_222 * 3_600_000;
  await client.flush();
  same(parseInt(collector.batches[0].id.slice(0, 8).match(/../g).reverse().join(""), 16), 497_222, "the epoch in which it is sent");
};

/** What an HTTP transport says of a response. */
async function said(status, body, headers = {}) {
  const calls = [];
  const own = async (...call) => {
    calls.push(call);
    return new Response(status === 204 ? null : body, { status, headers });
  };
  const transport = new HTTPTransport("https://collect.example/base/", { token: "t", fetch: own });
  const outcome = await transport.send(Uint8Array.of(1), new AbortController().signal);
  const [[url, { method, headers: sentHeaders, redirect, credentials }]] = calls;
  same([url, method, sentHeaders.Authorization, redirect, credentials],
    ["https://collect.example/base/v1/reports", "POST", "Bearer t", "error", "omit"], "the request");
  return [outcome.verdict, Math.round(outcome.wait ?? 0)];
}

const statuses = async () => {
  const receipt = (changes) => JSON.stringify({ accepted: 0, duplicate: 0, quarantined: 0, rejected: {}, ...changes });
  const reason = (word) => JSON.stringify({ error: "expected frames", reason: word });
  const never = [[400, "empty"], [413, "too-large"], [415, "encoded"]];
  const soon = new Date(Date.now() + 100_000).toUTCString();
  for (const [status, body, headers, ...outcome] of [
    [202, receipt({ accepted: 1 }), {}, "accepted", 0], [202, receipt({ duplicate: 1 }), {}, "duplicate", 0], [202, "", {}, "accepted", 0],
    [202, receipt({ rejected: { late: 1 } }), {}, "late", 0], [202, receipt({ rejected: { early: 1 } }), {}, "early", 0],
    [202, receipt({ rejected: { width: 1 } }), {}, "rejected", 0], [202, receipt({ quarantined: 1 }), {}, "quarantined", 0],
    ...never.flatMap(([status, word]) => [
      [status, reason(word), {}, "refused", 0], ...["<html>", "null", "[1]", reason(), reason("other")].map((body) => [status, body, {}, "held", 0]),
    ]),
    ...[401, 403, 404, 405, 410, 411, 451].map((status) => [status, reason("empty"), {}, "held", 0]),
    ...[200, 204, 301, 408, 425, 429, 500, 503].map((status) => [status, reason("empty"), {}, "retry", 0]),
    [401, "", { "Retry-After": "60" }, "held", 60],
    [503, "", { "Retry-After": "30" }, "retry", 30], [429, "", { "Retry-After": soon }, "retry", 100], [503, "", { "Retry-After": "soon" }, "retry", 0],
  ]) {
    const found = await said(status, body, headers);
    same([found[0], Math.abs(found[1] - outcome[1]) <= 2], [outcome[0], true], `what ${status} ${body} means`);
  }
};

const addresses = async () => {
  for (const address of ["http://collect.example", "collect.example", "ftp://localhost", "https://a@b.example", "https://b.example/?q", "https://b.example/#f", ""]) {
    await refusal(async () => new HTTPTransport(address), RangeError);
  }
  for (const [address, destination] of [["http://localhost:8000", "http://localhost:8000/v1/reports"], ["https://B.example:443/", "https://b.example/v1/reports"]]) {
    same(new HTTPTransport(address).destination, destination, "the destination");
  }
};

const steady = async (place) => {
  const { kept, open } = await device(place);
  await open().record("city", "Bonn");
  const first = [...(await contentsOf(kept)).keys()].filter((key) => key.startsWith("q/"));
  holds(first.length === 1 && /^q\/[0-9a-f]{16}\/report\/0{6}[0-9a-f]{16}$/.test(first[0]), "a report is kept under no time");
};

export const DELIVERY_LAWS = {
  "every attempt sends the same bytes, after pauses that double at most": sameBytes,
  "a pause is as long as the collector asks for": asked,
  "a person who asks waits for no pause": byHand,
  "nobody sends what another page may be sending": underWay,
  "a failure is written down before the attempt": before,
  "an attempt has a deadline as a whole": deadline,
  "what a collector decided is counted as such, and what it may take later is held": verdicts,
  "whatever a transport returns or throws, nothing is lost": nonsense,
  "an upload that became due while the app was closed goes at its start": overdue,
  "with a minute a day, some of them offline, the report arrives": sessions,
  "a clock that jumps neither stops uploads nor drops reports": clocks,
  "reports are dropped after days of use, and where too many wait": aged,
  "what waits is read by no report that joins it, and a full queue in small parts": unread,
  "where too many wait, reports that can be given again go first": expendable,
  "where nothing else is left, the oldest go": lastResort,
  "what was lost or quarantined is said for as long as the store lasts": lastingNumbers,
  "a status says all of it in words, and forgetting counts what waited elsewhere": inWords,
  "what is in the way is named, and what to do": unreachable,
  "a clock that was never set matters to epochs alone": unset,
  "reports leave in any order": unordered,
  "two tabs send a batch once": tabs,
  "a batch is of the epoch in which it is first about to be sent": dated,
  "each status means what the service says it means": statuses,
  "addresses that are not safe are refused": addresses,
  "no time is kept with a report": steady,
};
