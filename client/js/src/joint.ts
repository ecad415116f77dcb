/** Questions that are answered together, whose reports travel end to end, as one row under a fingerprint of its own. */

import { type Bytes, fromHex, hex } from "./bytes.js";
import { FINGERPRINT_SIZE } from "./fingerprint.js";
import { digest } from "./sha256.js";
import type { Question, Survey } from "./survey.js";

/** Those of a group, in the order of their reports. */
export function membersOf(survey: Survey, names: readonly string[]): readonly Question[] {
  return names.map((name) => survey.question(name));
}

export function jointFingerprint(members: readonly Question[]): Bytes {
  return digest(["ldp-joint-1", ...members.map(({ fingerprint }) => fromHex(fingerprint))], FINGERPRINT_SIZE);
}

/** The questions that reports under a fingerprint answer: one, those of a group, or none of this survey. */
export function questionsOf(fingerprint: string, survey: Survey): readonly Question[] {
  const alone = survey.questions.filter((question) => question.fingerprint === fingerprint);
  const groups = survey.groups.map((names) => membersOf(survey, names));
  return alone.length ? alone : groups.find((members) => hex(jointFingerprint(members)) === fingerprint) ?? [];
}

/** The fingerprints of what may be reported whenever it is answered: questions and groups whose responses are all kept. */
export function repeatable(survey: Survey): ReadonlySet<string> {
  const groups = survey.groups.map((names) => membersOf(survey, names));
  const alone = survey.questions.map((question) => [question]);
  const kept = (members: readonly Question[]): boolean => members.every(({ randomizer }) => randomizer.memoizes);
  return new Set([...alone.filter(kept).map(([question]) => question!.fingerprint), ...groups.filter(kept).map((members) => hex(jointFingerprint(members)))]);
}
