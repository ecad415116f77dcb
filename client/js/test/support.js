// What the laws share. They run in Node and in a browser, so nothing here belongs to either.

import { QUESTION } from "../dist/compiled.js";
import { RandomnessError } from "../dist/errors.js";
import { questionFingerprint, surveyFingerprint, termsDigest } from "../dist/fingerprint.js";
import { readSurvey } from "../dist/index.js";
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

/** The question of a vector. Its text is TOML, but what stands in it after `type` and `values` is JSON as well. */
export function questionOf(vector) {
  const after = (key) => JSON.parse(vector.survey.match(new RegExp(`^${key} = (.*)$`, "m"))?.[1] ?? "null");
  const [type, mechanism] = [after("type"), after("mechanism")];
  const values = type === "boolean" ? ["false", "true"] : after("values");
  const { fingerprint, integers } = vector;
  const plain = { name: "asked", text: "", type, values, mechanism, integers, charges: 1, fingerprint };
  const compiled = QUESTION(plain, "vector");
  return { compiled, question: new Question(compiled, false) };
}

/** A survey of these questions (`charges` is 1 and `text` empty, unless given), under fingerprints made here. */
export async function surveyOf(...described) {
  return readSurvey(JSON.stringify(await compiledOf(...described)));
}

/** The compiled form of such a survey. */
export async function compiledOf(questions, lifetime = null, epoch = undefined, name = "laws", groups = []) {
  const compiled = { format: 1, name, fingerprint: "", terms: "", epoch, lifetime, questions: [], groups };
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
