// The TypeScript client, asked over its standard input (docs/conformance.md): `ldp client test --depth device -- node client/js/test/conform.js`.
// What is recorded and sent is recorded and sent by `EmbeddedClient`, as in an app.

import { writeSync } from "node:fs";
import { createInterface } from "node:readline";

import { fromHex, hex } from "../dist/bytes.js";
import * as errors from "../dist/errors.js";
import { Client, EmbeddedClient, MemoryStore, readSurvey } from "../dist/index.js";
import { MECHANISMS } from "../dist/mechanisms.js";
import { product, written } from "../dist/ratio.js";
import { FileStore } from "./file_store.js";
import { replay } from "./support.js";

const DOES = ["randomize", "sample", "record", "together", "send", "http", "ledger", "state", "draw"];
const REASONS = [
  [errors.AnswerError, "answer"], [errors.AlreadyAnsweredError, "answered"], [errors.BudgetError, "budget"],
  [errors.NotDrawnError, "not-drawn"], [errors.SurveyError, "survey"], [errors.RandomnessError, "randomness"],
  [errors.StateError, "state"],
];

const say = (answer) => writeSync(1, `${JSON.stringify(answer)}\n`);

/** A transport that tells what leaves at the moment when it does, and says what it is told. */
const collected = { verdict: "accepted", destination: "" };
collected.send = async (payload) => {
  say({ payload: hex(payload) });
  return { verdict: collected.verdict };
};

let survey;
let client;
let isPosting = false;

const REQUESTS = {
  hello: () => ({
    client: "ldpkit-client (TypeScript)", mechanisms: MECHANISMS.map(([name]) => name), does: DOES, reads: "compiled",
  }),

  async open({ survey: source, state, collector, cap, posts = false }) {
    await client?.close();
    survey = await readSurvey(JSON.stringify(source));
    collected.destination = collector;
    isPosting = posts;
    const store = state === null ? new MemoryStore() : new FileStore(state);
    const place = posts ? { collector } : { transport: collected };
    const settings = { store, ...place, lifetimeCap: cap, strict: true, interval: null, log: () => undefined };
    client = new EmbeddedClient(survey, settings);
    const fingerprints = Object.fromEntries(survey.questions.map(({ name, fingerprint }) => [name, fingerprint]));
    return { fingerprints, terms: survey.terms };
  },

  randomize({ question: name, answer, tape }) {
    const question = survey.question(name);
    if (!question.answerable) return { refused: "unknown" };
    const random = replay(fromHex(tape));
    return { report: hex(question.randomizer.randomize(question.value(answer, random), random)), used: random.used };
  },

  async sample({ question, answers }) {
    const reports = [];
    for (const answer of answers) reports.push(hex((await new Client(survey).record(question, answer)).row));
    return { reports };
  },

  async record({ question, answer }) {
    return (await client.record(question, answer)) ? { recorded: true } : { refused: "not-drawn" };
  },

  async together({ answers }) {
    await client.recordTogether(answers);
    return { recorded: true };
  },

  async send({ verdict }) {
    collected.verdict = verdict;
    await client.flush();
    const { waiting, pause } = await client.status();
    return isPosting ? { waiting, pause } : {};
  },

  async ledger() {
    const { charges, aside } = await client.ledger();
    const names = charges.map(({ question }) => question);
    const counted = Object.fromEntries(names.map((name) => [name, names.filter((other) => other === name).length]));
    return { charges: counted, spent: written(product([...charges.map(({ ratio }) => ratio), aside])) };
  },
};

async function answered({ do: name, ...words }) {
  if (!Object.hasOwn(REQUESTS, name)) return { refused: "unknown" };
  try {
    return await REQUESTS[name](words);
  } catch (error) {
    const reason = REASONS.find(([Kind]) => error instanceof Kind);
    if (!reason) throw error;
    return { refused: reason[1] };
  }
}

for await (const line of createInterface({ input: process.stdin })) say(await answered(JSON.parse(line)));
