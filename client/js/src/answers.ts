/** All types of answers, row by row, as mechanisms are in `mechanisms.ts`; and lists of records, for `per_device`. */

import type { AnswerType } from "./answertype.js";
import { choices } from "./choices.js";
import { numbers } from "./numbers.js";
import { pairs, sets } from "./sets.js";
import { tables } from "./tables.js";
import { vectors } from "./vectors.js";

export { records } from "./records.js";
export { choices, numbers, pairs, sets, tables, vectors };

export const ANSWERS: readonly AnswerType[] = [choices, numbers, tables, vectors, sets, pairs];
