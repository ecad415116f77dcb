/** Reads surveys from their compiled form, and checks them against their own fingerprints. */

import { readJSON } from "./checks.js";
import { COMPILED } from "./compiled.js";
import { SurveyError } from "./errors.js";
import { questionFingerprint, surveyFingerprint, termsDigest } from "./fingerprint.js";
import { type Parts, Survey } from "./survey.js";

/** What an app has built in. */
export interface Pinned {
  readonly terms?: string;
}

/**
 * The survey that a compiled form holds, made of some parts. Throws `SurveyError` unless fingerprints and terms are what
 * it says.
 */
export async function readSurveyWith(parts: Parts, source: string, pinned: Pinned = {}): Promise<Survey> {
  const compiled = readJSON(source, COMPILED, "survey", SurveyError);
  for (const question of compiled.questions) {
    const computed = await questionFingerprint(question, compiled);
    expectSame(computed, question.fingerprint, `the fingerprint of ${question.name}`);
  }
  expectSame(await surveyFingerprint(compiled), compiled.fingerprint, "the fingerprint of the survey");
  expectSame(await termsDigest(compiled), compiled.terms, "the terms of the survey");
  expectSame(compiled.terms, pinned.terms ?? compiled.terms, "the terms of the survey");
  return new Survey(compiled, parts);
}

function expectSame(found: string, expected: string, what: string): void {
  if (found !== expected) throw new SurveyError(`expected ${what} to be ${expected}, got ${found}`);
}
