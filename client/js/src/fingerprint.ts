/** Canonical fingerprints (`ldp/survey/survey.py`): the first 16 bytes of the SHA-256 of netstrings, in hexadecimal. */

import { attributeParts } from "./attributes.js";
import { ballParts } from "./ball.js";
import { type Bytes, concat, fromHex, hex, utf8 } from "./bytes.js";
import type { CompiledChoices, CompiledQuestion, CompiledSurvey } from "./compiled.js";
import { written } from "./draws.js";
import { scaleParts } from "./scale.js";

export const FINGERPRINT_SIZE = 16;

/** Of a question: all that changes the meaning of a report, or of the id that it travels under, and whose it is. */
export function questionFingerprint(
  question: CompiledQuestion, { name: survey, epoch, draws, attributes }: Pick<CompiledSurvey, "name" | "epoch" | "draws" | "attributes">,
): Promise<string> {
  const { name, type, mechanism, integers } = question;
  const numbers = [...integers].sort(([left], [right]) => (left < right ? -1 : 1)).map(
    ([label, number]) => `${label}=${typeof number === "string" ? number : number.map((row) => row.join()).join(";")}`,
  );
  const epochs = epoch === undefined ? [] : [`epoch=${epoch}`];
  const drawn = (draws ?? []).filter(({ questions }) => questions.includes(name)).map((draw) => `draw=${written(draw)}`);
  const told = [...domainParts(question), mechanism, ...numbers, ...epochs, ...drawn, ...attributeParts(attributes ?? [], name)];
  return digest(["ldp-question-2", survey, name, type, ...told].map(utf8));
}

function domainParts({ fields, ball, per_device: perDevice, circular, ...choices }: CompiledQuestion): string[] {
  if (fields) return [String(fields.length), ...fields.flatMap((field) => [field.name, field.type, ...choiceParts(field)])];
  const parts = ball ? ballParts(ball) : choiceParts(choices);
  return [...parts, ...(perDevice ? [`per_device=${perDevice}`] : []), ...(circular ? ["circular=true"] : [])];
}

function choiceParts({ values, scale, outside }: CompiledChoices): string[] {
  if (scale && values) return [String(values.length), ...values, ...scaleParts(scale).slice(1)];
  if (scale) return scaleParts(scale);
  const replaced = outside === undefined ? [] : [`outside=${outside}`];
  return values === null ? ["open"] : [String(values.length), ...values, ...replaced];
}

/** Of a survey: its name, its questions, and the groups of those that are answered together. */
export async function surveyFingerprint({ name, questions, groups }: CompiledSurvey): Promise<string> {
  const byName = new Map(questions.map((question) => [question.name, fromHex(question.fingerprint)]));
  const joint = await Promise.all(
    groups.map((names) => digest([utf8("ldp-joint-1"), ...names.map((each) => byName.get(each) ?? utf8(""))])),
  );
  const sorted = [questions.map((question) => question.fingerprint).sort(), joint.sort()].flat();
  return digest([utf8("ldp-survey-1"), utf8(name), ...sorted.map(fromHex)]);
}

/** Of a survey's terms: everything that it may cost a respondent. */
export function termsDigest({ fingerprint, lifetime, questions, attributes, least_group: least }: CompiledSurvey): Promise<string> {
  const charges = questions.map(({ name, charges }) => [name, charges] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  const stop = utf8(lifetime?.epsilon ?? "");
  const listed = charges.map(([name, most]) => utf8(`${name}=${most}`));
  const crowd = attributes ? [utf8(`least_group=${least}`)] : [];
  return digest([utf8("ldp-terms-1"), fromHex(fingerprint), stop, ...listed, ...crowd]);
}

async function digest(parts: readonly Bytes[]): Promise<string> {
  const netstrings = parts.flatMap((part) => [utf8(`${part.length}:`), part, utf8(",")]);
  const whole = new Uint8Array(await crypto.subtle.digest("SHA-256", concat(netstrings)));
  return hex(whole.subarray(0, FINGERPRINT_SIZE));
}
