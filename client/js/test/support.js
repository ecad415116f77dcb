// What the laws share. They run in Node and in a browser, so nothing here belongs to either.

import { QUESTION } from "../dist/compiled.js";
import { RandomnessError } from "../dist/errors.js";
import { questionFingerprint, surveyFingerprint, termsDigest } from "../dist/fingerprint.js";
import { readSurvey } from "../dist/index.js";
import { ALL } from "../dist/all.js";
import { Question } from "../dist/survey.js";

/** A source that replays a tape, and fails at its end. */
export function replay(tape) {
  const random = (size) => {
    const drawn = tape.slice(random.used, random.used + size);
    if (drawn.length !== size) throw new RandomnessError("the tape is at its end");
    random.used += size;
    return drawn;
  };
  random.used = 0;
  return random;
}

/** All reports of a value, by every tape: the bytes are below the bounds of the draws, which are powers of two. */
export function reportsOf(randomizer, value, bounds) {
  let tapes = [[]];
  for (const bound of bounds) tapes = tapes.flatMap((tape) => Array.from({ length: bound }, (_, byte) => [...tape, byte]));
  return tapes.map((tape) => {
    const source = replay(Uint8Array.from(tape));
    const report = randomizer.randomize(value, source);
    same(source.used, tape.length, "the bytes drawn");
    return report;
  });
}

/** The question of a vector. Its text is TOML, but what stands in it after a key such as `type` or `values` is JSON as well. */
export function questionOf(vector) {
  const after = (key) => JSON.parse(vector.survey.match(new RegExp(`^${key} = (.*)$`, "m"))?.[1] ?? "null");
  const [type, mechanism] = [after("type"), after("mechanism")];
  const [low, high] = [after("low"), after("high")];
  const whole = () => Array.from({ length: high - low + 1 }, (_, at) => String(low + at));
  const values = { boolean: () => ["false", "true"], integer: whole }[type]?.() ?? after("values") ?? after("keys");
  const { fingerprint, integers, scale, ball, per_device, circular, fields } = vector;
  const choices = { type, values, scale, ball, per_device, circular, fields };
  const plain = { name: "asked", text: "", ...choices, mechanism, integers, charges: 1, fingerprint };
  const compiled = QUESTION(plain, "vector");
  return { compiled, question: new Question(compiled, ALL, false) };
}

/** A survey of these questions (`charges` is 1 and `text` empty, unless given), under fingerprints made here. */
export async function surveyOf(...described) {
  return readSurvey(JSON.stringify(await compiledOf(...described)));
}

/** The compiled form of such a survey. */
export async function compiledOf(questions, lifetime = null, epoch = undefined, name = "laws", groups = [], draws = undefined, attributes = undefined) {
  const least = attributes && { attributes, least_group: 100 };
  const compiled = { format: 1, name, fingerprint: "", terms: "", epoch, lifetime, questions: [], groups, draws, ...least };
  for (const question of questions) {
    const whole = { text: "", charges: 1, fingerprint: "", ...question };
    const integers = new Map(Object.entries(whole.integers));
    whole.fingerprint = await questionFingerprint({ ...whole, integers }, compiled);
    compiled.questions.push(whole);
  }
  compiled.fingerprint = await surveyFingerprint(compiled);
  compiled.terms = await termsDigest(compiled);
  return compiled;
}

const UNCHECKED = new Set(["text", "ratio"]);

/** Copies of a JSON value, each with one text, number or null in it changed, or one list entry left out. */
export function* alterations(value, name = "") {
  if (UNCHECKED.has(name)) return;
  if (typeof value === "string") yield `${value.startsWith("1") ? 2 : 1}${value.slice(1)}`;
  else if (typeof value === "number") yield value + 1;
  else if (value === null) yield "null";
  else {
    for (const key of Object.keys(value)) {
      const copy = () => (Array.isArray(value) ? [...value] : { ...value });
      if (Array.isArray(value)) yield value.filter((_, place) => place !== Number(key));
      for (const altered of alterations(value[key], key)) yield Object.assign(copy(), { [key]: altered });
    }
  }
}

export function same(found, expected, what = "the result") {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
  if (left !== right) throw new Error(`expected ${what} to be ${right}, got ${left}`);
}

export function holds(condition, what) {
  if (!condition) throw new Error(`expected that ${what}`);
}

/** The error that some work fails with, which has to be of a kind, and to say something in whole words. */
export async function refusal(work, Kind) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Kind) || error.name !== Kind.name) throw error;
    holds(/^\S.{8,}\S$/s.test(error.message) && !error.message.includes("  "), "an error says what was expected");
    return error;
  }
  throw new Error(`expected a ${Kind.name}, got none`);
}
