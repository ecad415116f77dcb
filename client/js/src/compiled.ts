/** The compiled form of a survey (`ldp/survey/compiled.py`), which `ldp check SURVEY --compiled FILE` writes. */

import type { Attribute } from "./attributes.js";
import type { CompiledBall } from "./ball.js";
import {
  type Check, absentOr, bytesAsHex, constant, decimal, integerFrom, listOf, mapOf, optional, record, text,
  textLike, textOr,
} from "./checks.js";
import type { PerDevice } from "./contributions.js";
import type { Draw } from "./draws.js";
import { FRACTION } from "./fraction.js";
import { EPSILON } from "./ratio.js";
import type { CompiledScale } from "./scale.js";

/** The exact numbers of a mechanism, by name: integers as decimal texts, or a matrix of them. */
export type Integers = ReadonlyMap<string, string | readonly (readonly string[])[]>;

/** What there is to choose from: values, or a scale. */
export interface CompiledChoices {
  readonly name: string;
  readonly text: string;
  readonly type: string;
  readonly values: readonly string[] | null;
  /** Of type number; of type key-value, the ends of the range of the numbers that come with `values`. */
  readonly scale: CompiledScale | undefined;
  /** Of type integer: `clip`, or the number that stands in for those outside; undefined where they are refused. */
  readonly outside: string | undefined;
}

export interface CompiledQuestion extends CompiledChoices {
  /** The parts of an answer, of a question of type table or place. */
  readonly fields: readonly CompiledChoices[] | undefined;
  /** Of a question of type vector. */
  readonly ball: CompiledBall | undefined;
  /** What is made of a device's records, where it may have many. */
  readonly per_device: PerDevice | undefined;
  /** Where the values, numbers, lie on a circle. */
  readonly circular: true | undefined;
  /** The node above each value, and above each node that has any, if the values are leaves of a tree. */
  readonly parents: ReadonlyMap<string, string> | undefined;
  readonly mechanism: string;
  readonly integers: Integers;
  readonly charges: number;
  readonly fingerprint: string;
}

export interface CompiledSurvey {
  readonly format: 1;
  readonly name: string;
  readonly fingerprint: string;
  readonly terms: string;
  readonly epoch: number | undefined;
  readonly lifetime: { readonly epsilon: string } | null;
  readonly questions: readonly CompiledQuestion[];
  readonly groups: readonly (readonly string[])[];
  /** Questions of which a device answers one, where there are such. */
  readonly draws: readonly Draw[] | undefined;
  /** What reports say openly of a device, where they do, and how many a group by it needs to be shown. */
  readonly attributes: readonly Attribute[] | undefined;
  readonly least_group: number | undefined;
}

const MOST_CHARGES = 1000;
const MOST_WEIGHT = 65536;
const MOST_DIMENSIONS = 1 << 12;

const FINGERPRINT = bytesAsHex(16);

// All checks are here, so that a program whose survey was checked when it was built does without them.

const exact = textLike(FRACTION, "an exact number as text");

const SCALE: Check<CompiledScale> = record<CompiledScale>({
  size: decimal,
  low: absentOr(exact),
  step: absentOr(exact),
  edges: absentOr(listOf(exact)),
  outside: textLike(new RegExp(`^(refuse|clip)$|${FRACTION.source}`), "refuse, clip or an exact number as text"),
  unit: text,
  missing: listOf(text),
});

const BALL: Check<CompiledBall> = record<CompiledBall>({
  dimensions: integerFrom(2, MOST_DIMENSIONS),
  radius: exact,
  outside: textLike(/^(refuse|clip)$/, "refuse or clip"),
});

const PER_DEVICE = textLike(/^(mean|sum|last|one)$/, "mean, sum, last or one") as Check<PerDevice>;

const DRAW: Check<Draw> = record<Draw>({
  questions: listOf(text), weights: listOf(integerFrom(1, MOST_WEIGHT)), answers: absentOr(integerFrom(2)),
});

const ATTRIBUTE: Check<Attribute> = record<Attribute>({
  name: text, values: listOf(text), questions: absentOr(listOf(text)),
});

const CHOICES = {
  name: text, text, type: text, values: optional(listOf(text)), scale: absentOr(SCALE),
  outside: absentOr(textLike(/^(clip|-?[0-9]{1,16})$/, "clip or a whole number as text")),
};

export const QUESTION: Check<CompiledQuestion> = record<CompiledQuestion>({
  ...CHOICES,
  fields: absentOr(listOf(record<CompiledChoices>(CHOICES))),
  ball: absentOr(BALL),
  per_device: absentOr(PER_DEVICE),
  circular: absentOr(constant(true)),
  parents: absentOr(mapOf(text)),
  mechanism: text,
  integers: mapOf(textOr(decimal, listOf(listOf(decimal)))),
  charges: integerFrom(1, MOST_CHARGES),
  fingerprint: FINGERPRINT,
});

export const COMPILED: Check<CompiledSurvey> = record<CompiledSurvey>({
  format: constant(1),
  name: text,
  fingerprint: FINGERPRINT,
  terms: FINGERPRINT,
  epoch: absentOr(integerFrom(1)),
  lifetime: optional(record({ epsilon: textLike(EPSILON, "an epsilon") })),
  questions: listOf(QUESTION),
  groups: listOf(listOf(text)),
  draws: absentOr(listOf(DRAW)),
  attributes: absentOr(listOf(ATTRIBUTE)),
  least_group: absentOr(integerFrom(1)),
});
