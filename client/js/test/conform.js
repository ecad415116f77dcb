// The TypeScript client, asked over its standard input (docs/clients.md): `ldp conform -- node client/js/test/conform.js`.
// What the client leaves to the app (the bytes of an upload are kept until they have arrived), this app does.

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";

import { fromHex, hex } from "../dist/bytes.js";
import * as errors from "../dist/errors.js";
import { Client, readSurvey, reportBytes } from "../dist/index.js";
import { power, product, read, written } from "../dist/ratio.js";
import { replay } from "./support.js";

const MECHANISMS = [
  "warner", "forced", "unrelated", "matrix", "grr", "pgr", "dithered", "arcs", "square-wave", "taxonomy", "tree", "pyramid",
  "subsets", "codebook", "sue", "oue", "rappor", "pad-grr",
];
const DOES = ["randomize", "sample", "record", "send", "ledger", "state", "draw"];
const REASONS = [
  [errors.AnswerError, "answer"], [errors.AlreadyAnsweredError, "answered"], [errors.BudgetError, "budget"],
  [errors.NotDrawnError, "not-drawn"], [errors.SurveyError, "survey"], [errors.RandomnessError, "randomness"],
  [errors.StateError, "state"],
];
const STATE = "ldp";
const WAITING = "waiting";

/** One file, written whole at every change, for one process. */
class FileStorage {
  #path;
  #last = Promise.resolve();

  constructor(path) {
    this.#path = path;
    this.texts = path && existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  }

  get(key) {
    return this.texts[key] ?? null;
  }

  set(key, text) {
    this.texts[key] = text;
    if (!this.#path) return;
    const file = openSync(`${this.#path}.new`, "w");
    writeSync(file, JSON.stringify(this.texts));
    fsyncSync(file);
    closeSync(file);
    renameSync(`${this.#path}.new`, this.#path);
  }

  exclusively(_key, work) {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

const say = (answer) => writeSync(1, `${JSON.stringify(answer)}\n`);

let survey;
let storage;
let client;

/** The uploads that have not arrived, each as it was made. */
const waiting = () => JSON.parse(storage.get(WAITING) ?? "[]");

const REQUESTS = {
  hello: () => ({ client: "ldpkit-client (TypeScript)", mechanisms: MECHANISMS, does: DOES, reads: "compiled" }),

  async open({ survey: source, state, collector, cap }) {
    survey = await readSurvey(JSON.stringify(source));
    storage = new FileStorage(state);
    client = new Client(survey, { storage, collector, lifetimeCap: cap });
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
    const upload = reportBytes([await client.record(question, answer)]);
    storage.set(WAITING, JSON.stringify([...waiting(), hex(upload)]));
    return { recorded: true };
  },

  send({ verdict }) {
    for (const payload of waiting()) {
      say({ payload });
      if (verdict === "accepted") storage.set(WAITING, JSON.stringify(waiting().slice(1)));
    }
    return {};
  },

  ledger() {
    const state = JSON.parse(storage.get(STATE) ?? '{"surveys":{}}');
    const charges = {};
    const ratios = [];
    for (const { questions } of Object.values(state.surveys)) {
      for (const [fingerprint, asked] of Object.entries(questions)) {
        const question = survey.questions.find((one) => one.fingerprint === fingerprint);
        if (question) charges[question.name] = asked.charges;
        ratios.push(power(read(asked.price), asked.charges));
      }
    }
    return { charges, spent: written(product(ratios)) };
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
