// Stop lists (src/stops.ts): they have less asked, never more, under a key that the app pins.

import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { test } from "node:test";

import { HTTPTransport, MemoryStore, StopRule, system } from "../dist/index.js";
import { Records } from "../dist/store.js";
import { CITY, Collector, KEPT, clock, embedded } from "./embedded_support.js";
import { refusal, same, surveyOf } from "./support.js";

const [HEAD, DEVICES] = ["302e020100300506032b657004220420", 4000];
const privateKey = (byte) =>
  createPrivateKey({ key: Buffer.from(HEAD + Buffer.alloc(32, byte).toString("hex"), "hex"), format: "der", type: "pkcs8" });
const PRIVATE = privateKey(1);
const KEY = createPublicKey(PRIVATE).export({ format: "der", type: "spki" }).subarray(-32).toString("hex");
const CONTEXT = "a list of questions to stop, 1\n";

function listed(shares, { serial = 1, survey = "laws", key = PRIVATE, rest = {} } = {}) {
  const text = `${JSON.stringify({ survey, serial, shares, ...rest })}\n`;
  const signature = sign(null, Buffer.from(CONTEXT + text), key).toString("hex");
  return new Uint8Array(Buffer.from(`LDPSTOPS1 ${signature}\n${text}`));
}

class Listing extends Collector {
  constructor(data) {
    super();
    Object.assign(this, { data, fetched: 0 });
  }

  async stops(survey) {
    same(survey, "laws", "the survey");
    this.fetched += 1;
    if (this.data instanceof Error) throw this.data;
    return this.data;
  }
}

const opened = (survey, transport, rule, means = {}, store = new MemoryStore()) =>
  embedded(survey, { store, transport, lifetimeCap: "1000", stops: new StopRule(KEY, rule) }, means);

test("a stopped question is asked no more, from the next upload on, and costs nothing", async () => {
  const survey = await surveyOf([CITY, KEPT]);
  const client = opened(survey, new Listing(listed({ city: "0" })));
  same([await client.record("kept", "Bonn"), await client.flush()], [true, true], "a report");
  same([await client.record("city", "Bonn"), await client.record("kept", "Bonn")], [false, true], "whether there are more");
  same(client.counts(), { recorded: 2, accepted: 1, stopped: 1 }, "the counts");
  same((await client.ledger()).charges.map(({ question }) => question), ["kept"], "the charges");
});

test("a list as `ldp survey stop-list sign` writes it is read", async () => {
  const written =
    "LDPSTOPS1 dd6869ee699cfe71984a8d616161d82d884703f626145b01fd862fe16c59500d" +
    "76defc8557a91bc2521cee1902a626fc48f35fbcdbfb4f9db7af03cc2a65ba00\n" +
    '{"survey": "laws", "serial": 7, "shares": {"città": "0", "kept": "1/10"}}\n';
  const entry = await new StopRule(KEY).read(new TextEncoder().encode(written), "laws", 20_000);
  same(entry, [7, 20_000, "città", "0", "kept", "1/10"], "what is kept of it");
});

test("what is no list of ours stops nothing", async () => {
  const survey = await surveyOf([CITY, KEPT]);
  const wrong = [
    new TextEncoder().encode("no list"), listed({ city: "0" }, { key: privateKey(2) }), listed({ city: "0" }, { survey: "other" }),
    listed({ city: "2" }), listed({ city: 0 }), listed({ city: "0" }, { serial: -1 }), listed({ city: "0" }, { rest: { more: 1 } }),
    listed(null), new Error("no network"),
  ];
  for (const data of wrong) {
    const client = opened(survey, new Listing(data));
    await client.record("kept", "Bonn");
    same([await client.flush(), await client.record("city", "Bonn")], [true, true], "whether there are reports");
    same(client.counts()["stop-list"], 1, "the lists that were not followed");
  }
});

test("of a share each device draws once, and a lower serial number changes nothing", async () => {
  const rule = new StopRule(KEY);
  const lists = [["1/4", 2], ["1/10", 3], ["1", 1], ["0.25", 4]].map(([share, serial]) => listed({ kept: share }, { serial }));
  const entries = await Promise.all(lists.map((list) => rule.read(list, "laws", 0)));
  const asked = Array.from({ length: DEVICES }, () => {
    const records = new Records(new Map());
    return entries.map((entry) => {
      rule.keep(records, "place", entry);
      return rule.refusal(records, "place", ["kept"], system, 0) === undefined;
    });
  });
  // Within 4.9 standard deviations (1e-6): a share 5 points off is seen.
  const quarter = asked.filter(([first]) => first).length;
  same(Math.abs(quarter - DEVICES / 4) < 4.9 * Math.sqrt((DEVICES * 3) / 16), true, `a quarter, ${quarter}`);
  same(asked.every(([first, tenth, after, again]) => (!tenth || first) && after === tenth && again === first), true, "nested");
});

test("a group is asked by the least of its shares", async () => {
  const rule = new StopRule(KEY);
  const records = new Records(new Map());
  rule.keep(records, "place", await rule.read(listed({ one: "1", other: "0" }), "laws", 0));
  same(rule.refusal(records, "place", ["one"], system, 0), undefined, "one");
  same(rule.refusal(records, "place", ["one", "other"], system, 0), "stopped", "both");
});

test("without word for long, all is asked or nothing", async () => {
  const survey = await surveyOf([KEPT]);
  for (const otherwise of ["ask", "stop"]) {
    const now = clock();
    const collector = new Listing(listed({}));
    const client = opened(survey, collector, { otherwise, days: 3 }, { now });
    same(await client.record("kept", "Bonn"), otherwise === "ask", "before there was a list");
    await client.flush();
    same([await client.record("kept", "Bonn"), collector.fetched], [true, 1], "with one");
    now.pass(4 * 86_400);
    same(await client.record("kept", "Bonn"), otherwise === "ask", "after four days");
  }
});

test("rules that cannot be followed are refused", async () => {
  for (const make of [() => new StopRule("ab"), () => new StopRule(KEY, { otherwise: "x" }), () => new StopRule(KEY, { days: 0 })]) {
    await refusal(make, RangeError);
  }
});

test("lists come from beside the place of reports, with the same token", async () => {
  const seen = [];
  const fetched = async (url, options) => {
    seen.push([url, options.headers.Authorization]);
    return seen.length > 1 ? new Response(null, { status: 404 }) : new Response(listed({}));
  };
  const transport = new HTTPTransport("https://collect.example/at/", { token: "secret", fetch: fetched });
  same((await transport.stops("a b", new AbortController().signal)).length > 100, true, "a list");
  same(await transport.stops("a b", new AbortController().signal), null, "none");
  same(seen[0], ["https://collect.example/at/v1/surveys/a%20b/stops", "Bearer secret"], "what was asked");
});
