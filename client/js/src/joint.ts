/** Questions that are answered together, whose reports travel end to end, as one row under a fingerprint of its own. */

import { type Bytes, fromHex } from "./bytes.js";
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
