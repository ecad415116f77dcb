/** Everything that this client has: for programs that do not know their surveys. */

import { ANSWERS, records } from "./answers.js";
import { MECHANISMS } from "./mechanisms.js";
import { type Pinned, readSurveyWith } from "./reading.js";
import type { Parts, Survey } from "./survey.js";

export const ALL: Parts = { mechanisms: MECHANISMS, answers: ANSWERS, records };

/** The survey that a compiled form holds. Throws `SurveyError` unless fingerprints and terms are what it says. */
export function readSurvey(source: string, pinned?: Pinned): Promise<Survey> {
  return readSurveyWith(ALL, source, pinned);
}
