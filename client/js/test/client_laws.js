// What a device does and does not do with a person's answers (the rules in src/client.ts).

import { hex, toInteger } from "../dist/bytes.js";
import {
  AlreadyAnsweredError, AnswerError, BudgetError, Client, MemoryStorage, RandomnessError, StateError, batches, reportBytes,
  system,
} from "../dist/index.js";
import { Memory, STATE_KEY } from "../dist/memory.js";
import { holds, refusal, replay, same, surveyOf } from "./support.js";

const SECRET_SIZE = 32;
const NO_CAP = { lifetimeCap: "1000" };
const CITIES = ["Aachen", "Bonn", "Celle", "Dresden"];
const CITY = {
  name: "city", type: "category", values: CITIES, mechanism: "grr", integers: { size: "4", truth: "3", other: "1" },
};
const HOME = {
  name: "home", type: "text", values: null, mechanism: "rappor", charges: 3,
  integers: {
    bits: "64", hashes: "2", cohorts: "8", word: "64",
    flip: String(2n ** 62n), if_one: String(3n * 2n ** 62n), if_zero: String(2n ** 63n),
  },
};
/** One report of it costs ln(3). */
const TOWN = { ...CITY, name: "town" };
/** Nothing of it is permanent. */
const FRESH = { ...HOME, charges: 1, integers: { ...HOME.integers, flip: "0" } };
/** Its reports are permanent responses of 4 bits, all but unchanged, which cost ln(9) each. */
const ONE_HOT = {
  ...CITY, mechanism: "rappor", charges: 4,
  integers: { ...HOME.integers, bits: "4", hashes: "0", cohorts: "1", if_one: String(2n ** 64n - 1n), if_zero: "0" },
};
/** Its reports are permanent responses, all but unchanged. */
const CLEAR = { ...HOME, integers: { ...HOME.integers, if_one: String(2n ** 64n - 1n), if_zero: "0" } };

function failing() {
  throw new RandomnessError("no randomness today");
}

const onceAndForAll = async ({ storage }) => {
  const survey = await surveyOf([CITY, FRESH]);
  const kept = storage();
  for (const [name, width] of [["city", 1], ["home", 10]]) {
    same((await new Client(survey, { storage: kept }).record(name, "Bonn")).row.length, width, "the width");
    const again = await refusal(() => new Client(survey, { storage: kept }).record(name, "Bonn"), AlreadyAnsweredError);
    holds(again.message.includes(`question ${name} was answered`), "the question is named");
  }
};

const oneOfMany = async ({ storage }) => {
  const survey = await surveyOf([CITY]);
  const kept = storage();
  const asked = Array.from({ length: 20 }, () => new Client(survey, { storage: kept }).record("city", "Celle"));
  const settled = await Promise.allSettled(asked);
  same(settled.filter((each) => each.status === "fulfilled").length, 1, "the number of reports");
};

const nothingSpent = async ({ storage }) => {
  const survey = await surveyOf([CITY, HOME, { ...HOME, name: "alone", integers: { ...HOME.integers, cohorts: "1" } }]);
  const kept = storage();
  for (const name of ["city", "home", "alone"]) {
    for (const random of [failing, (size) => new Uint8Array(size - 1)]) {
      await refusal(() => new Client(survey, { storage: kept, random }).record(name, "Bonn"), RandomnessError);
    }
  }
  const short = (size) => new Uint8Array(size === SECRET_SIZE ? size - 1 : size);
  await refusal(() => new Client(survey, { storage: kept, random: short }).record("alone", "Bonn"), RandomnessError);
  Object.defineProperty(crypto, "getRandomValues", { value: failing, configurable: true });
  try {
    await refusal(() => new Client(survey, { storage: kept }).record("city", "Bonn"), RandomnessError);
  } finally {
    delete crypto.getRandomValues;
  }
  same(kept.get(STATE_KEY), null, "the state");
};

const ample = async () => {
  const drawn = system(200_000);
  same(drawn.length, 200_000, "the number of bytes");
  for (const end of [65_536, 131_072, 200_000]) {
    holds(drawn.subarray(end - 32, end).some((byte) => byte > 0), "every stretch is random");
  }
};

const noReport = async ({ storage }) => {
  const survey = await surveyOf([CITY]);
  const full = storage();
  full.set = () => {
    throw new Error("no room");
  };
  await refusal(() => new Client(survey, { storage: full }).record("city", "Bonn"), StateError);
};

const damaged = async ({ storage }) => {
  const survey = await surveyOf([CLEAR]);
  const sound = storage();
  for (const answer of ["a", "b"]) await new Client(survey, { storage: sound, ...NO_CAP }).record("home", answer);
  const left = sound.get(STATE_KEY);
  const last = left.match(/"last":"(.*?)"/)[1];
  const changes = [
    ["format", 2], ["cap", "1/0"], ["limit", "0/1"], ["limit", ""], ["charges", 0], ["charges", 1.5], ["cohort", -1], ["price", "9/0"],
    ["secret", "00"], ["last", "00"], ["questions", null], ["responses", [1]], ["surveys", "x"],
    ...["", "0", "abx", "xab", "abc"].map((text) => ["responses", { ["0".repeat(32)]: text }]),
  ];
  const altered = changes.map(([name, value]) => (
    JSON.stringify(JSON.parse(left), (key, part) => (key === name ? value : part))
  ));
  const unknownLast = left.replace('"charges":3', '"charges":2').replace(`"last":"${last}"`, `"last":"${"0".repeat(32)}"`);
  for (const text of ["", "{", "[]", "null", '{"format":1}', ...altered, unknownLast]) {
    const kept = storage();
    kept.set(STATE_KEY, text);
    await refusal(() => new Client(survey, { storage: kept, ...NO_CAP }).record("home", "c"), StateError);
    same(kept.get(STATE_KEY), text, "the state");
  }
};

const reused = async ({ storage }) => {
  const survey = await surveyOf([CLEAR]);
  const kept = storage();
  const rows = [];
  for (let round = 0; round < 5; round += 1) {
    rows.push(hex((await new Client(survey, { storage: kept }).record("home", "Bonn")).row));
  }
  same(new Set(rows).size, 1, "the number of permanent responses");
};

const blind = async ({ storage }) => {
  const surveys = [
    [await surveyOf([CITY]), "city", CITIES],
    [await surveyOf([HOME]), "home", ["x", "https://example.org/a?b=c", "long ".repeat(100)]],
  ];
  for (const [survey, name, answers] of surveys) {
    const tape = system(4096);
    const drawn = [];
    const widths = [];
    for (const answer of answers) {
      const random = replay(tape);
      widths.push((await new Client(survey, { storage: storage(), random }).record(name, answer)).row.length);
      drawn.push(random.used);
    }
    same([new Set(drawn).size, new Set(widths).size], [1, 1], "different numbers of bytes drawn, and sent");
  }
};

/** The state of the only survey in a storage, and that of its only question. */
function remembered(kept) {
  const [survey] = Object.values(JSON.parse(kept.get(STATE_KEY)).surveys);
  return { ...survey, asked: Object.values(survey.questions)[0] };
}

const lastOnes = async ({ storage }) => {
  const survey = await surveyOf([CLEAR]);
  const kept = storage();
  const client = new Client(survey, { storage: kept, ...NO_CAP });
  const rows = [];
  for (const answer of ["a", "b", "c", "d", "a", "e", "d", "b"]) rows.push(hex((await client.record("home", answer)).row));
  const [a, b, c] = rows;
  same(rows, [a, b, c, c, a, a, a, b], "the responses");
  same(new Set([a, b, c]).size, 3, "the number of responses");
  const { charges, responses } = remembered(kept).asked;
  same([charges, Object.keys(responses).length], [3, 3], "charges and responses");
};

/** What comes of each answer in turn, beside questions that are asked in between: a report, or silence. */
async function pattern(survey, kept, answers) {
  const client = new Client(survey, { storage: kept });
  const outcomes = [];
  for (const [turn, answer] of answers.entries()) {
    const asked = turn % 2 ? [["city", answer], ["town", "Aachen"], ["village", "Celle"]] : [["city", answer]];
    for (const [name, said] of asked) {
      outcomes.push(await client.record(name, said).then(() => "report", (error) => error.name));
    }
  }
  return outcomes;
}

const silent = async ({ storage }) => {
  const [v0, v1, v2, v3] = CITIES;
  const sequences = [
    [v1, v1, v1, v1], [v0, v0, v0, v0], [v1, v1, v2, v2], [v0, v0, v2, v2], [v1, v2, v3, v3], [v3, v2, v1, v0],
  ];
  const seen = new Set();
  for (const epsilon of ["1", "2.2", "3.3", "4.4", "5.5", "6.6", "7.7", "8.8", "9.9", "11", "12"]) {
    const survey = await surveyOf([ONE_HOT, TOWN, { ...TOWN, name: "village" }], { epsilon });
    const patterns = [];
    for (const answers of sequences) patterns.push((await pattern(survey, storage(), answers)).join());
    same(new Set(patterns).size, 1, `the number of patterns at ${epsilon}`);
    seen.add(patterns[0]);
  }
  holds(seen.size > 2, "limits make a difference");
};

const setAside = async ({ storage }) => {
  // A price of 9 for a value of `city`, and of 3 for `town`: 9^3 * 3 = 2187 is e^7.69.
  for (const [epsilon, charges] of [["2.2", 1], ["4.39", 1], ["5.49", 1], ["5.5", 2], ["7.69", 2], ["7.7", 3], ["99", 4]]) {
    const survey = await surveyOf([ONE_HOT, TOWN], { epsilon });
    const kept = storage();
    await new Client(survey, { storage: kept }).record("city", "Bonn");
    same(remembered(kept).asked.charges, charges, `the charges at ${epsilon}`);
  }
  const kept = storage();
  const survey = await surveyOf([ONE_HOT, TOWN], { epsilon: "6.6" });
  const client = new Client(survey, { storage: kept });
  await client.record("town", "Bonn");
  await client.record("city", "Bonn");
  same(Object.values(remembered(kept).questions).map(({ charges }) => charges), [1, 2], "the charges of both");
};

const hardStop = async ({ storage }) => {
  const survey = await surveyOf([CITY, TOWN], { epsilon: "2.19" });
  const kept = storage();
  const client = new Client(survey, { storage: kept });
  await client.record("city", "Aachen");
  const before = kept.get(STATE_KEY);
  await refusal(() => client.record("town", "Aachen"), BudgetError);
  same(kept.get(STATE_KEY), before, "the state");
  const enough = new Client(await surveyOf([CITY, TOWN], { epsilon: "2.2" }), { storage: storage() });
  for (const name of ["city", "town"]) await enough.record(name, "Aachen");
  // What is refused draws nothing: what is charged is charged before there is a report.
  const poor = new Client(await surveyOf([CITY]), { storage: storage(), lifetimeCap: "0.1", random: failing });
  await refusal(() => poor.record("city", "Bonn"), BudgetError);
};

/** The survey again, with another question in place of the first. */
const version = (number, more = {}) => surveyOf([{ ...CITY, name: `city-${number}`, ...more }]);

const versions = async ({ storage }) => {
  const kept = storage();
  const record = async (survey) => new Client(survey, { storage: kept }).record(survey.questions[0].name, "Bonn");
  await record(await version(0));
  for (let number = 1; number < 60; number += 1) {
    const later = await surveyOf([{ ...CITY, name: `city-${number}` }], number % 2 ? { epsilon: "9" } : null);
    await refusal(() => record(later), BudgetError);
  }
  const agreed = await surveyOf([{ ...CITY, name: "city-60" }], { epsilon: "2.2" });
  await new Client(agreed, { storage: kept }).agree();
  await record(agreed);
  const next = await version(61);
  await refusal(() => record(next), BudgetError);
  await new Client(next, { storage: kept }).agree();
  await record(next);
  await new Client(next, { storage: kept }).agree();
  await refusal(async () => record(await version(62)), BudgetError);
};

const least = async ({ storage }) => {
  const kept = storage();
  const [wide, narrow] = [await surveyOf([CITY, TOWN]), await surveyOf([CITY, TOWN], { epsilon: "1.1" })];
  await new Client(wide, { storage: kept }).record("city", "Bonn");
  await refusal(() => new Client(narrow, { storage: kept }).record("town", "Bonn"), BudgetError);
  await new Client(wide, { storage: kept }).record("town", "Bonn");
  const other = storage();
  await new Client(narrow, { storage: other }).record("city", "Bonn");
  await refusal(() => new Client(wide, { storage: other }).record("town", "Bonn"), BudgetError);
  const three = [CITY, TOWN, { ...TOWN, name: "village" }];
  const [all, two] = [await surveyOf(three), await surveyOf(three, { epsilon: "2.2" })];
  const third = storage();
  await new Client(all, { storage: third }).record("city", "Bonn");
  await new Client(two, { storage: third }).record("town", "Bonn");
  await refusal(() => new Client(all, { storage: third }).record("village", "Bonn"), BudgetError);
  const moved = storage();
  const one = await surveyOf([CITY], { epsilon: "2.2" });
  for (const collector of ["a", "b"]) await new Client(one, { storage: moved, collector }).record("city", "Bonn");
  await refusal(() => new Client(one, { storage: moved, collector: "c" }).record("city", "Bonn"), BudgetError);
};

const capped = async ({ storage }) => {
  const kept = storage();
  const spend = async (number, settings = {}) => {
    const survey = await surveyOf([CITY], null, undefined, `survey-${number}`);
    return new Client(survey, { storage: kept, collector: `collector-${number % 2}`, ...settings }).record("city", "Bonn");
  };
  // Reports of ln(3) each: nine of them come to 9.89.
  for (let number = 0; number < 9; number += 1) await spend(number);
  await refusal(() => spend(9), BudgetError);
  await refusal(() => spend(9, { lifetimeCap: "10.98" }), BudgetError);
  await spend(9, { lifetimeCap: "10.99" });
  await spend(10, { lifetimeCap: "1000" });
  const other = storage();
  await new Client(await surveyOf([CLEAR]), { storage: other }).record("home", "Bonn");
  same(remembered(other).asked.charges, 3, "the charges of a first survey that asks for more than 10");
  const second = await surveyOf([CITY], null, undefined, "second");
  await refusal(() => new Client(second, { storage: other }).record("city", "Bonn"), BudgetError);
  for (const lifetimeCap of ["", "-1", "1e9", "ln(3)", "1/0"]) {
    await refusal(async () => new Client(await surveyOf([CITY]), { lifetimeCap }), RangeError);
  }
};

const apart = async ({ storage }) => {
  const survey = await surveyOf([CITY, CLEAR]);
  const kept = storage();
  const record = (collector, name, answer) =>
    new Client(survey, { storage: kept, collector, lifetimeCap: "1000" }).record(name, answer);
  const rows = { a: [], b: [] };
  for (const collector of ["a", "b", "a", "b"]) rows[collector].push(hex((await record(collector, "home", "Bonn")).row));
  same(rows.a[0] === rows.b[0], false, "whether they get the same response");
  same([rows.a[1], rows.b[1]], [rows.a[0], rows.b[0]], "what each gets again");
  for (const collector of ["a", "b"]) await record(collector, "city", "Bonn");
  await refusal(() => record("a", "city", "Bonn"), AlreadyAnsweredError);
  await record("", "city", "Bonn");
  await refusal(() => new Client(survey, { storage: kept }).record("city", "Bonn"), AlreadyAnsweredError);
  const states = Object.values(JSON.parse(kept.get("ldp")).surveys).slice(0, 2);
  const keys = states.flatMap(({ questions }) => Object.values(questions)).flatMap(({ responses }) => Object.keys(responses));
  same([new Set(states.map(({ secret }) => secret)).size, new Set(keys).size], [2, 2], "secrets and keys");
  // Names that read alike, end to end, are two: each survey may spend what it asks for.
  const alike = storage();
  for (const [owner, name] of [["a", "bc"], ["ab", "c"]]) {
    const short = await surveyOf([CITY], null, undefined, name);
    await new Client(short, { storage: alike, collector: owner }).record("city", "Bonn");
  }
};

const named = async () => {
  // Every memory gets the same secret here: what is hashed has to differ by itself.
  const random = (size) => new Uint8Array(size);
  const key = async (collector, name, cohort, answer) => {
    const survey = await surveyOf([{ ...HOME, name }]);
    const memory = await Memory.open(survey, collector, undefined, new MemoryStorage());
    const [asked] = survey.questions;
    memory.setAside(asked, cohort);
    return memory.memoKey(asked, asked.value(answer), random);
  };
  const ways = [["", "home", 0, "Bonn"], ["x", "home", 0, "Bonn"], ["", "town", 0, "Bonn"], ["", "home", 1, "Bonn"],
    ["", "home", 0, "Celle"]];
  const keys = [];
  for (const way of ways) keys.push(await key(...way));
  same(new Set(keys).size, ways.length, "the number of keys");
  same(await key(...ways[0]), keys[0], "the key again");
};

const scattered = async ({ storage }) => {
  const questions = ["home", "town"].map((name) => ({ ...HOME, name }));
  const survey = await surveyOf(questions);
  const cohorts = [];
  for (let device = 0; device < 40; device += 1) {
    const client = new Client(survey, { storage: storage(), ...NO_CAP });
    const [home, town] = [await client.record("home", "Bonn"), await client.record("town", "Bonn")];
    same((await client.record("home", "Celle")).row[0], home.row[0], "the cohort of the device");
    cohorts.push([home.row[0], town.row[0]]);
  }
  holds(cohorts.some(([home, town]) => home !== town), "each question has a cohort of its own");
  holds(new Set(cohorts.map(([home]) => home)).size > 1, "devices differ in it");
};

/** `count` reports with the number of each as its row, to one question or in turn to two. */
const numbered = (count, questions) => Array.from({ length: count }, (_, number) => (
  { fingerprint: new Uint8Array(16).fill(number % questions), row: Uint8Array.of(number), epoch: undefined }
));

const grouped = async () => {
  const made = batches(numbered(5, 2), 2);
  const held = made.map(({ fingerprint, size, rows }) => {
    same(rows.length, size, "the number of rows");
    holds([...rows].every((row) => row % 2 === fingerprint[0]), "rows are with those of their question");
    return [...rows];
  });
  same(held.flat().sort(), [0, 1, 2, 3, 4], "the reports");
  same(held.map((rows) => rows.length).sort(), [1, 2, 2], "the sizes");
  same(new Set(made.map(({ id }) => hex(id))).size, 3, "the number of ids");
};

const unordered = async () => {
  // All draws that four things need, each once: as many orders means that all are as likely.
  const [rows, firsts] = [new Set(), new Set()];
  for (let draws = 0; draws < 24; draws += 1) {
    const drawn = () => {
      const script = [draws % 4, Math.floor(draws / 4) % 3, Math.floor(draws / 12)];
      return (size) => (size === 1 ? Uint8Array.of(...script.splice(0, 1)) : new Uint8Array(size));
    };
    rows.add([...batches(numbered(4, 1), 4, drawn())[0].rows].join());
    firsts.add(batches(numbered(4, 4), 4, drawn()).map(({ rows: [row] }) => row).join());
  }
  same([rows.size, firsts.size], [24, 24], "the orders of rows, and of batches");
};

const dated = async ({ storage }) => {
  const hour = 3600;
  const lasting = await new Client(await surveyOf([CITY]), { storage: storage() }).record("city", "Bonn");
  const report = await new Client(await surveyOf([CITY], null, hour), { storage: storage() }).record("city", "Bonn");
  for (const epoch of [0, 1, 497222]) {
    for (const second of [0, hour - 1]) {
      const made = batches([lasting, report], 1, (size) => new Uint8Array(size), () => 1000 * (epoch * hour + second));
      const ids = made.map(({ fingerprint, id }) => [hex(fingerprint), Number(toInteger(id))]);
      same(Object.fromEntries(ids), { [hex(report.fingerprint)]: epoch, [hex(lasting.fingerprint)]: 0 }, "the ids");
    }
  }
};

const discreet = async ({ storage }) => {
  const survey = await surveyOf([CITY, HOME]);
  const kept = storage();
  const client = new Client(survey, { storage: kept });
  const told = [await client.record("city", "Dresden"), await client.record("home", "Dresden")];
  const refused = [
    await refusal(() => client.record("city", "Entenhausen"), AnswerError),
    await refusal(() => client.record("city", 3.14159265), AnswerError),
    await refusal(() => client.record("home", "Entenhausen\ud800"), AnswerError),
    await refusal(() => client.record("home", ""), AnswerError),
    await refusal(() => client.record("city", "Dresden"), AlreadyAnsweredError),
  ];
  const file = new TextDecoder("latin1").decode(reportBytes(told));
  const left = [kept.get(STATE_KEY), file, ...refused.map((error) => `${error.message} ${error.stack}`)].join();
  for (const answer of ["Dresden", "Entenhausen", "3.14159265"]) holds(!left.includes(answer), `${answer} is nowhere`);
  holds(!left.includes(hex(new TextEncoder().encode("Dresden"))), "no hexadecimal of it either");
};

const unknown = async ({ storage }) => {
  const newer = { ...CITY, name: "newer", mechanism: "later-grr" };
  const client = new Client(await surveyOf([CITY, newer]), { storage: storage() });
  await refusal(() => client.record("newer", "Bonn"), AnswerError);
  await refusal(() => client.record("nothing", "Bonn"), AnswerError);
  await client.record("city", "Bonn");
};

export const CLIENT_LAWS = {
  "a question whose budget one report spends is answered once, by whatever client": onceAndForAll,
  "of twenty answers at once, one is reported": oneOfMany,
  "where randomness fails, nothing is reported and nothing is spent": nothingSpent,
  "the platform's source gives as many bytes as it is asked for": ample,
  "where the charge cannot be kept, nothing is reported": noReport,
  "a damaged state gives no report, and stays as it is": damaged,
  "an answer met before re-uses its permanent response": reused,
  "neither the bytes drawn nor those sent depend on the answer": blind,
  "values beyond the charges get the response that was reported last, and cost nothing more": lastOnes,
  "whether there is a report depends on no answer, whatever the limit": silent,
  "charges are set aside as far as the limit allows, after one for each other question": setAside,
  "what would exceed the lifetime epsilon is refused, and not charged": hardStop,
  "versions of a survey spend together what the first one asked for, until the person agrees to more": versions,
  "a lower lifetime epsilon holds for all versions": least,
  "all surveys of a storage, whatever their collectors, have a cap": capped,
  "two collectors get responses, charges and cohorts of their own": apart,
  "a memo key is of a collector, a question, a cohort and an answer": named,
  "every question has a cohort of its own": scattered,
  "batches hold every report once, by question, under ids that differ": grouped,
  "reports and batches leave in any order, all as likely": unordered,
  "an id begins with the epoch in which the batch was made, if the survey has epochs": dated,
  "no answer is in the state, in a report file or in an error": discreet,
  "a mechanism of a later version spoils its own question only": unknown,
};
