// What a device does and does not do with a person's answers (the rules in src/client.ts).

import { hex, toInteger } from "../dist/bytes.js";
import {
  AlreadyAnsweredError, AnswerError, BudgetError, Client, RandomnessError, StateError, batches, reportBytes, system,
} from "../dist/index.js";
import { holds, refusal, replay, same, surveyOf } from "./support.js";

const SECRET_SIZE = 32;
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
    await refusal(() => new Client(survey, { storage: kept }).record(name, "Bonn"), AlreadyAnsweredError);
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
  same(kept.get("ldp/laws"), null, "the state");
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
  const survey = await surveyOf([CITY]);
  for (const text of ["", "{", "[]", "null", '{"format":2}', '{"format":1,"secret":null,"questions":{"x":1}}']) {
    const kept = storage();
    kept.set("ldp/laws", text);
    await refusal(() => new Client(survey, { storage: kept }).record("city", "Bonn"), StateError);
    same(kept.get("ldp/laws"), text, "the state");
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

const reserved = async ({ storage }) => {
  const survey = await surveyOf([CLEAR]);
  const kept = storage();
  const client = new Client(survey, { storage: kept });
  const rows = [];
  for (const answer of ["a", "b", "c", "d", "e", "a", "b"]) rows.push(hex((await client.record("home", answer)).row));
  same([rows[3], rows[4], rows[5], rows[6]], [rows[2], rows[2], rows[0], rows[1]], "the later responses");
  const [question] = Object.values(JSON.parse(kept.get("ldp/laws")).questions);
  same([question.charges, Object.keys(question.responses).length], [3, 3], "charges and responses");
};

const hardStop = async ({ storage }) => {
  const survey = await surveyOf([CITY, { ...CITY, name: "town" }], { epsilon: "ln(17/2)", ratio: "17/2" });
  const kept = storage();
  const client = new Client(survey, { storage: kept });
  await client.record("city", "Aachen");
  const before = kept.get("ldp/laws");
  await refusal(() => client.record("town", "Aachen"), BudgetError);
  same(kept.get("ldp/laws"), before, "the state");
};

const reservedEarly = async ({ storage }) => {
  const survey = await surveyOf([ONE_HOT], { epsilon: "ln(81)", ratio: "81" });
  const client = new Client(survey, { storage: storage() });
  const rows = [];
  for (const city of CITIES) rows.push(hex((await client.record("city", city)).row));
  same([rows[2], rows[3]], [rows[0], rows[0]], "the later responses");
};

const grouped = async () => {
  const reports = [0, 1, 0, 0, 1].map((question, number) => (
    { fingerprint: new Uint8Array(16).fill(question), row: Uint8Array.of(number, 9) }
  ));
  const made = batches(reports, 2);
  same(made.map(({ size, rows }) => [size, hex(rows)]), [[2, "00090209"], [1, "0309"], [2, "01090409"]], "the batches");
  same(new Set(made.map(({ id }) => hex(id))).size, 3, "the number of ids");
};

const dated = async ({ storage }) => {
  const hour = 3600;
  const lasting = await new Client(await surveyOf([CITY]), { storage: storage() }).record("city", "Bonn");
  const report = await new Client(await surveyOf([CITY], null, hour), { storage: storage() }).record("city", "Bonn");
  for (const epoch of [0, 1, 497222]) {
    for (const second of [0, hour - 1]) {
      const made = batches([lasting, report], 1, (size) => new Uint8Array(size), () => 1000 * (epoch * hour + second));
      same(made.map(({ id }) => Number(toInteger(id))), [0, epoch], "the ids");
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
  const left = [kept.get("ldp/laws"), file, ...refused.map((error) => `${error.message} ${error.stack}`)].join();
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
  "values beyond the charges are reported as the one in reserve, and cost nothing more": reserved,
  "so are values that the lifetime epsilon has nothing left for": reservedEarly,
  "what would exceed the lifetime epsilon is refused, and not charged": hardStop,
  "batches hold every report once, by question, in order, under ids that differ": grouped,
  "an id begins with the epoch in which the batch was made, if the survey has epochs": dated,
  "no answer is in the state, in a report file or in an error": discreet,
  "a mechanism of a later version spoils its own question only": unknown,
};
