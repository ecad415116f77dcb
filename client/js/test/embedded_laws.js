// What an embedded client keeps of answers, spends and asks of people (src/embedding.ts): on every store.

import { AlreadyAnsweredError, AnswerError, BudgetError, Client, RandomnessError, StateError, SurveyError, batches, readSurvey, system } from "../dist/index.js";
import { CITY, Collector, HOME, KEPT, TOWN, contentsOf, embedded, meddle } from "./embedded_support.js";
import { compiledOf, holds, refusal, replay, same, surveyOf } from "./support.js";

const NO_CAP = { lifetimeCap: "1000" };

const once = async ({ store }) => {
  const survey = await surveyOf([CITY]);
  const kept = await store();
  const clients = [1, 2].map(() => embedded(survey, { store: kept }));
  same(await clients[0].record("city", "Bonn"), true, "whether there is a report");
  same(await clients[1].record("city", "Celle"), false, "whether there is another");
  same([clients[0].counts(), clients[1].counts()], [{ recorded: 1 }, { answered: 1 }], "the counts");
  same(await clients[1].waiting(), 1, "what waits");
  await refusal(() => embedded(survey, { store: kept, strict: true }).record("city", "Bonn"), AlreadyAnsweredError);
};

const oneOfMany = async ({ store }) => {
  const survey = await surveyOf([CITY]);
  const kept = await store();
  const [one, other] = [1, 2].map(() => embedded(survey, { store: kept }));
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, turn) => (turn % 2 ? one : other).record("city", "Bonn")));
  same([outcomes.filter(Boolean).length, await one.waiting()], [1, 1], "the reports");
  same((await one.ledger()).charges.length, 1, "the charges");
};

const sent = async ({ store }) => {
  const survey = await surveyOf([CITY, KEPT]);
  const collector = new Collector();
  const client = embedded(survey, { store: await store(), transport: collector, ...NO_CAP });
  for (const answer of ["Aachen", "Aachen", "Bonn"]) await client.record("kept", answer);
  await client.record("city", "Bonn");
  same([await client.waiting(), await client.flush(), await client.waiting()], [4, true, 0], "what waits");
  same(collector.batches.map(({ rows }) => rows.length).sort(), [1, 3], "batches hold reports of one question");
  same(client.counts(), { recorded: 4, accepted: 2 }, "the counts");
  same((await client.ledger()).charges.map(({ question }) => question).sort(), ["city", "kept", "kept"], "the charges");
};

const lastOnes = async ({ store }) => {
  const survey = await surveyOf([{ ...KEPT, charges: 3 }]);
  const kept = await store();
  const rows = [];
  for (const answer of ["Aachen", "Bonn", "Celle", "Dresden", "Aachen", "Dresden", "Bonn"]) {
    const collector = new Collector();
    const client = embedded(survey, { store: kept, transport: collector, ...NO_CAP });
    await client.record("kept", answer);
    await client.flush();
    rows.push(collector.rows[0][1]);
  }
  const [a, b, c] = rows;
  same(rows, [a, b, c, c, a, a, b], "the responses");
};

const silent = async ({ store }) => {
  const cities = CITY.values;
  const sequences = [[1, 1, 1, 1], [0, 0, 2, 2], [1, 2, 3, 3], [3, 2, 1, 0]].map((turns) => turns.map((at) => cities[at]));
  const seen = new Set();
  for (const epsilon of ["1", "3.3", "5.5", "7.7", "11", "12"]) {
    const survey = await surveyOf([KEPT, TOWN, { ...TOWN, name: "village" }], { epsilon });
    const patterns = await Promise.all(sequences.map(async (answers) => {
      const client = embedded(survey, { store: await store() });
      const outcomes = [];
      for (const [turn, answer] of answers.entries()) {
        const asked = turn % 2 ? [["kept", answer], ["town", "Aachen"], ["village", "Celle"]] : [["kept", answer]];
        for (const [name, said] of asked) outcomes.push(await client.record(name, said));
      }
      return outcomes.join();
    }));
    same(new Set(patterns).size, 1, `the number of patterns at ${epsilon}`);
    seen.add(patterns[0]);
  }
  holds(seen.size > 2, "limits make a difference");
};

const blind = async ({ store }) => {
  for (const [question, answers] of [[CITY, CITY.values], [HOME, ["x", "https://example.org/a?b=c", "long ".repeat(100)]]]) {
    const survey = await surveyOf([question]);
    const tape = system(4096);
    const drawn = new Set();
    for (const answer of answers) {
      const random = replay(tape);
      same(await embedded(survey, { store: await store() }, { random }).record(question.name, answer), true, "whether there is a report");
      drawn.add(random.used);
    }
    same(drawn.size, 1, "different numbers of bytes drawn");
  }
};

const nothingSpent = async ({ store }) => {
  const survey = await surveyOf([CITY, HOME]);
  const kept = await store();
  const failing = () => {
    throw new RandomnessError("no randomness today");
  };
  for (const name of ["city", "home"]) {
    same(await embedded(survey, { store: kept }, { random: failing }).record(name, "Bonn"), false, "whether there is a report");
    await refusal(() => embedded(survey, { store: kept, strict: true }, { random: failing }).record(name, "Bonn"), RandomnessError);
  }
  const broken = { transact: () => Promise.reject(new Error("the disk is full of Bonn")) };
  const told = [];
  const client = embedded(survey, { store: broken, log: (message) => told.push(message) });
  same([await client.record("city", "Bonn"), client.counts()], [false, { state: 1 }], "what comes of a store that fails");
  same(told.length === 1 && !told[0].includes("Bonn"), true, "whether it is told once, without what the store said");
  same([await client.waiting(), await client.consent(), await client.said()], [0, "off", "unknown"], "what it can tell");
  holds((await client.ledger()).problem.startsWith("the store failed"), "the ledger says that it cannot be read");
  same([await client.setConsent("off"), await client.rotate(), await client.flush(), await client.recover()], [false, false, false, false], "what was done");
  holds((await client.status()).state.startsWith("the store failed"), "the status says why");
  same((await embedded(survey, { store: kept }).ledger()).charges, [], "the charges");
};

/** The survey again, with another question in place of the first. */
const version = (number, lifetime = null) => surveyOf([{ ...CITY, name: `city-${number}` }], lifetime);

const versions = async ({ store }) => {
  const kept = await store();
  const record = (survey) => embedded(survey, { store: kept, strict: true }).record(survey.questions[0].name, "Bonn");
  await record(await version(0));
  for (let number = 1; number < 8; number += 1) {
    const later = await version(number, number % 2 ? { epsilon: "9" } : null);
    await refusal(() => record(later), BudgetError);
  }
  const agreed = await version(60, { epsilon: "2.2" });
  same(await embedded(agreed, { store: kept }).setConsent("on"), true, "whether consent is kept");
  await record(agreed);
  const next = await version(61);
  same(await record(next), false, "whether a version is answered to which no one agreed");
  for (let time = 0; time < 2; time += 1) await embedded(next, { store: kept }).setConsent("on");
  await record(next);
  same((await embedded(next, { store: kept }).ledger()).charges.length, 3, "the charges");
};

const capped = async ({ store }) => {
  const kept = await store();
  const spend = async (number, settings = {}) => {
    const survey = await surveyOf([CITY], null, undefined, `survey-${number}`);
    const transport = new Collector([], `collector-${number % 2}`);
    return embedded(survey, { store: kept, transport, strict: true, ...settings }).record("city", "Bonn");
  };
  // Reports of ln(3) each: nine of them come to 9.89.
  for (let number = 0; number < 9; number += 1) await spend(number);
  await refusal(() => spend(9), BudgetError);
  await refusal(() => spend(9, { lifetimeCap: "10.98" }), BudgetError);
  await spend(9, { lifetimeCap: "10.99" });
  const moved = await store();
  const lasting = await surveyOf([CITY], { epsilon: "2.2" });
  const record = (address) => embedded(lasting, { store: moved, transport: new Collector([], address) }).record("city", "Bonn");
  const answered = [];
  for (const address of ["a", "b", "c"]) answered.push(await record(address));
  same(answered, [true, true, false], "at how many addresses there is a report within one lifetime");
  const survey = await surveyOf([KEPT]);
  for (const [settings, Kind] of [
    [{ ceiling: "8.7" }, SurveyError], [{ pins: ["0".repeat(32)] }, SurveyError], [{ lifetimeCap: "-1" }, RangeError],
    ...[0, -1, NaN, Infinity, 1e12].map((interval) => [{ interval }, RangeError]), [{ timeout: NaN }, RangeError],
  ]) await refusal(async () => embedded(survey, { store: kept, transport: new Collector(), ...settings }), Kind);
  embedded(survey, { store: kept, ceiling: "8.8", pins: [survey.terms] });
};

const quotient = ([top, bottom]) => Number((1000n * top) / bottom) / 1000;

const setAside = async ({ store }) => {
  // A price of 9 for a value of `kept`, and of 3 for `town`: 9^3 * 3 = 2187 is e^7.69.
  for (const [epsilon, charges] of [["2.2", 1], ["5.49", 1], ["5.5", 2], ["7.69", 2], ["7.7", 3], ["99", 4]]) {
    const client = embedded(await surveyOf([KEPT, TOWN], { epsilon }), { store: await store() });
    await client.record("kept", "Bonn");
    same(quotient((await client.ledger()).aside), 9 ** (charges - 1), `what is set aside at ${epsilon}`);
  }
};

const heirs = async ({ store }) => {
  const survey = await surveyOf([CITY, TOWN]);
  const kept = await store();
  await embedded(survey, { store: kept }).record("city", "Bonn");
  const [first, second] = ["first", "second"].map((name) => new Collector([], name));
  const clients = [first, second].map((transport) => embedded(survey, { store: kept, transport, ...NO_CAP }));
  same(await clients[0].waiting(), 1, "what waits for the heir");
  same(await clients[0].record("city", "Bonn"), false, "whether the heir gets a second report");
  same(await clients[1].record("city", "Bonn"), true, "whether another collector gets one of its own");
  for (const client of clients) await client.flush();
  same([first.rows.length, second.rows.length], [1, 1], "what each gets");
  await embedded(survey, { store: kept, ...NO_CAP }).record("town", "Bonn");
  same(await clients[0].record("town", "Bonn"), false, "whether what is recorded for no one is the heir's");
  for (const client of [clients[1], clients[0]]) await client.flush();
  same([first.rows.length, second.rows.length], [2, 1], "what each gets in the end");
};

const apart = async ({ store }) => {
  const kept = await store();
  const surveys = [await surveyOf([CITY]), await surveyOf([TOWN], null, undefined, "other")];
  const names = ["city", "town"];
  const collectors = surveys.map((_, number) => new Collector([], `c${number}`));
  const clients = surveys.map((survey, number) => embedded(survey, { store: kept, transport: collectors[number] }));
  for (const [number, client] of clients.entries()) await client.record(names[number], "Bonn");
  collectors[0].outcomes.push({ verdict: "retry", wait: 3600 });
  same([await clients[0].flush(), await clients[1].flush()], [false, true], "whether all is sent");
  for (const [number, survey] of surveys.entries()) {
    same(collectors[number].rows.map(([fingerprint]) => fingerprint), [survey.questions[0].fingerprint], "whose reports come");
  }
};

const elsewhere = async ({ store }) => {
  const survey = await surveyOf([CITY, TOWN]);
  const kept = await store();
  const open = (name, of = survey) => embedded(of, { store: kept, transport: new Collector([{ verdict: "retry" }], name), ...NO_CAP });
  for (const name of ["city", "town"]) await open("a typo").record(name, "Bonn");
  const other = await surveyOf([CITY], null, undefined, "other");
  await open("corrected", other).record("city", "Bonn");
  await open("corrected", other).flush();
  const client = open("corrected");
  await client.record("city", "Bonn");
  const { waiting, elsewhere, advice } = await client.status();
  // One of them is in a batch that was tried, and waits all the same.
  same([waiting, elsewhere, advice.filter((sentence) => sentence.startsWith("3 reports wait for other surveys")).length], [1, 3, 1], "what waits elsewhere");
  const status = await open("a typo").status();
  same([status.waiting, status.elsewhere, status.advice.filter((sentence) => sentence.startsWith("2 reports wait")).length], [2, 2, 1], "and here");
};

const consent = async ({ store }) => {
  const described = [CITY, TOWN, KEPT];
  const survey = await surveyOf(described, { epsilon: "9" });
  const kept = await store();
  const collector = new Collector();
  const client = embedded(survey, { store: kept, transport: collector, consent: "off" });
  const standing = async (one, name) => [await one.said(), await one.consent(), await one.record(name, "Bonn")];
  same(await standing(client, "city"), ["never asked", "off", false], "before anyone was asked");
  await client.setConsent("on");
  same(await standing(client, "city"), ["on", "on", true], "after a yes");
  await client.setConsent("off");
  const closed = embedded(survey, { store: kept, transport: collector });
  same([...(await standing(closed, "town")), await closed.flush()], ["off", "off", false, false], "after a no");
  const another = embedded(await surveyOf([TOWN], null, undefined, "another"), { store: kept });
  same(await standing(another, "town"), ["off", "off", false], "to other surveys after a no");
  same([collector.payloads.length, await closed.waiting()], [0, 1], "what was sent and what waits");
  same(closed.counts(), { "consent-off": 1 }, "the counts");
  await client.setConsent("on");
  const reworded = await surveyOf([{ ...CITY, text: "Where do you live in truth?" }, TOWN, KEPT], { epsilon: "9" });
  const dearer = await surveyOf(described, { epsilon: "12" });
  for (const other of [reworded, dearer]) {
    const later = embedded(other, { store: kept, transport: collector });
    same(await standing(later, "town"), ["other terms", "off", false], "with other terms or texts");
  }
  same(await embedded(reworded, { store: kept, transport: collector }).flush(), true, "whether what was agreed to is sent");
  same(await standing(client, "town"), ["on", "on", true], "with those that were agreed to");
  await another.setConsent("on");
  await another.record("town", "Bonn");
  await client.setConsent("forget");
  const keys = [...(await contentsOf(kept)).keys()];
  same(keys.filter((key) => /^(q\/.*|s\/(secret|permanent|cohort|last)\/)/.test(key)), [], "what is left");
  same(client.counts().forgotten, 2, "what was forgotten, in all queues");
  await client.setConsent("on");
  same(await client.record("city", "Bonn"), false, "whether forgetting brings the budget back");
  await refusal(() => embedded(survey, { store: kept, strict: true }).setConsent("maybe"), RangeError);
};

const renewed = async ({ store }) => {
  const survey = await surveyOf([KEPT, CITY]);
  const client = embedded(survey, { store: await store(), ...NO_CAP });
  for (const answer of ["Aachen", "Bonn"]) await client.record("kept", answer);
  await client.rotate();
  for (const answer of ["Aachen", "Bonn"]) same(await client.record("kept", answer), true, "whether it is answered anew");
  await client.record("city", "Bonn");
  const ledger = await client.ledger();
  same([ledger.charges.length, ledger.events.length, quotient(ledger.aside)], [5, 1, 9 ** 4], "the ledger");
  for (const part of ["charged 4 times", "the secret was renewed", "Set aside"]) holds(String(ledger).includes(part), `the ledger says ${part}`);
  holds(Math.abs(ledger.epsilon({ question: "city" }) - Math.log(3)) < 1e-9, "an epsilon is a logarithm");
};

const damaged = async ({ store }) => {
  const survey = await surveyOf([CITY, TOWN, KEPT]);
  const kept = await store();
  const collector = new Collector();
  const make = (settings = {}) => embedded(survey, { store: kept, transport: collector, ...NO_CAP, ...settings });
  await make().setConsent("on");
  for (const name of ["city", "kept"]) await make().record(name, "Bonn");
  const isCharge = (key) => key.startsWith("s/charge/");
  const digits = (text) => text.slice(0, -2) + (text.at(-2) === "1" ? "2" : "1") + text.at(-1);
  await meddle(kept, (key, text) => (isCharge(key) ? digits(text) : text));
  const before = [...(await contentsOf(kept))];
  const client = make();
  same([await client.record("town", "Bonn"), client.counts(), (await client.ledger()).problem ? null : 0], [false, { state: 1 }, null], "what is recorded");
  await refusal(() => make({ strict: true }).record("town", "Bonn"), StateError);
  same([...(await contentsOf(kept))], before, "the store");
  const { state, advice } = await client.status();
  holds(state.includes("damage") && advice[0].includes("recover()"), "the status says what to do");
  same(await client.recover(), true, "whether it goes on");
  same([await client.said(), await client.record("town", "Bonn")], ["never asked", false], "that people are asked again");
  same((await client.ledger()).events.length, 1, "that the ledger tells of it");
  await client.setConsent("on");
  same(await client.record("town", "Bonn"), true, "whether it records again");
  await meddle(kept, (key, text) => (key.startsWith("q/") && !collector.done ? ((collector.done = true), digits(text)) : text));
  same([await client.flush(), (await client.status()).dropped, client.counts().damaged], [true, { damaged: 1 }, 1], "a damaged report");
};

const discreet = async ({ store }) => {
  const survey = await surveyOf([CITY, HOME, { ...KEPT, values: ["Aachen", "Dresden", "Bonn", "Celle"] }]);
  const kept = await store();
  const told = [];
  const collector = new Collector([() => Promise.reject(new Error("Dresden"))]);
  const client = embedded(survey, { store: kept, transport: collector, log: (message) => told.push(message), ...NO_CAP });
  for (const name of ["city", "home", "kept", "city"]) await client.record(name, "Dresden");
  for (const answer of ["Entenhausen", 3.14159265]) await client.record("city", answer);
  await client.record("Entenhausen", "Dresden");
  await client.recordTogether({ Entenhausen: "Dresden" });
  await client.flush();
  const left = [...(await contentsOf(kept)), told, JSON.stringify(await client.status()), String(await client.ledger())].flat(3).join();
  for (const answer of ["Dresden", "Entenhausen", "3.14159265"]) holds(!left.includes(answer), `${answer} is nowhere`);
  holds(!left.includes("44726573"), "nor in hexadecimal");
  holds(String(client.preview("city", "Dresden")).includes("1 bytes would be sent"), "a preview is for the person");
  same(client.preview("city", "Entenhausen"), undefined, "the preview of what is no answer");
};

const together = async ({ store }) => {
  const survey = await readSurvey(JSON.stringify(await compiledOf([CITY, TOWN, KEPT], null, undefined, "laws", [["town", "city"]])));
  const collector = new Collector();
  const client = embedded(survey, { store: await store(), transport: collector, strict: true });
  await refusal(() => client.record("city", "Bonn"), AnswerError);
  await refusal(() => client.recordTogether({ city: "Bonn" }), AnswerError);
  await refusal(() => client.recordTogether({ city: "Bonn", town: "Entenhausen" }), AnswerError);
  same(await client.recordTogether({ city: "Bonn", town: "Celle" }), true, "whether there is a report");
  await refusal(() => client.recordTogether({ city: "Bonn", town: "Celle" }), AlreadyAnsweredError);
  await client.flush();
  same([collector.rows.length, collector.rows[0][1].length], [1, 4], "a report of two bytes");
  same((await client.ledger()).charges.length, 2, "the charges");
};

const drawing = async ({ store }) => {
  const draws = [{ questions: ["city", "town"], weights: [1, 1] }];
  const survey = await readSurvey(JSON.stringify(await compiledOf([CITY, TOWN], null, undefined, "laws", [], draws)));
  const outcomes = [];
  for (let device = 0; device < 12; device += 1) {
    const kept = await store();
    const client = embedded(survey, { store: kept });
    outcomes.push((await client.record("city", "Bonn")) ? "city" : "town");
    same(await embedded(survey, { store: kept }).record("town", "Bonn"), outcomes.at(-1) === "town", "whether the other is answered");
    same((await client.ledger()).charges.length, 1, "the charges");
  }
  holds(new Set(outcomes).size === 2, "devices draw either");
};

const saying = async ({ store }) => {
  const attributes = [{ name: "platform", values: ["android", "ios"] }, { name: "country", values: ["de"], questions: ["city"] }];
  const described = [[CITY, KEPT], null, undefined, "laws", [], undefined, attributes];
  const survey = await readSurvey(JSON.stringify(await compiledOf(...described)));
  const [kept, collector] = [await store(), new Collector()];
  const before = embedded(survey, { store: kept, attributes: { platform: "android" } });
  await before.record("kept", "Bonn");
  // An app that was updated sends what waits under what held when it was recorded.
  const after = embedded(survey, { store: kept, transport: collector, attributes: { platform: "ios", country: "de" } });
  await after.record("kept", "Bonn");
  await after.record("kept", "Celle");
  await after.record("city", "Bonn");
  same(await after.flush(), true, "whether all has arrived");
  const [city, rappor] = survey.questions.map(({ fingerprint }) => fingerprint);
  const sizes = collector.batches.map(({ fingerprint, combination, rows }) => [fingerprint, combination, rows.length]);
  same(sizes.sort(), [[city, 5, 1], [rappor, 1, 1], [rappor, 2, 2]].sort(), "the batches");
  await refusal(() => embedded(survey, { store: kept, attributes: { platform: "web" } }), AnswerError);
  const plain = new Client(survey, { attributes: { platform: "ios" } });
  const reports = [await plain.record("kept", "Bonn"), await new Client(survey).record("kept", "Bonn")];
  same(reports.map(({ combination }) => combination), [2, 0], "what is said");
  same(batches(reports).length, 2, "the batches of both");
};

const closed = async ({ store }) => {
  const survey = await surveyOf([CITY]);
  const kept = await store();
  const client = embedded(survey, { store: kept, transport: new Collector() });
  await client.close();
  same([await client.record("city", "Bonn"), client.counts()], [false, { closed: 1 }], "what is recorded after the end");
  const strict = embedded(survey, { store: kept, strict: true });
  await strict.close();
  await refusal(() => strict.record("city", "Bonn"), StateError);
  same(await embedded(survey, { store: kept }).record("city", "Bonn"), true, "whether the next client records");
};

export const EMBEDDED_LAWS = {
  "embedded, reports say what held when they were recorded, and share no batch where it differs": saying,
  "embedded, a question whose budget one report spends is answered once, by whatever client": once,
  "embedded, of twenty answers at once by two clients, one is reported": oneOfMany,
  "embedded, reports wait, and are sent by question": sent,
  "embedded, values beyond the charges get the response that was reported last": lastOnes,
  "embedded, whether there is a report depends on no answer, whatever the limit": silent,
  "embedded, the bytes that are drawn do not depend on the answer": blind,
  "embedded, where anything fails, nothing is reported, nothing is spent, and the app is not rejected": nothingSpent,
  "embedded, versions of a survey spend what was agreed to": versions,
  "embedded, all surveys of a store have a cap, and apps a ceiling and pins": capped,
  "embedded, charges are set aside as far as the limit allows": setAside,
  "embedded, what was recorded for no one counts for the first collector": heirs,
  "embedded, queues and pauses are a survey's and a collector's own": apart,
  "embedded, consent is to these terms and texts": consent,
  "embedded, what waits for another address is told": elsewhere,
  "embedded, a new secret renews responses, and nothing else": renewed,
  "embedded, damage is told and left as it is, until the app goes on without what was lost": damaged,
  "embedded, no answer is in a store, a log, a status or a ledger": discreet,
  "embedded, a group is answered together, as one report": together,
  "embedded, of the questions of a draw one is answered": drawing,
  "embedded, nothing is recorded after the end": closed,
};
