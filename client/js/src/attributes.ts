/**
 * Public attributes (`ldp/survey/attributes.py`): what a report says openly of the device that it comes from, as one number. Of each
 * attribute that its question carries the app says a value, or none; the number has a digit for each, 0 for none.
 */

import { AnswerError } from "./errors.js";

export interface Attribute {
  readonly name: string;
  readonly values: readonly string[];
  /** The questions whose reports carry it; all, if absent. */
  readonly questions: readonly string[] | undefined;
}

/** What an app says: values by the names of attributes. */
export type Attributes = Readonly<Record<string, string>>;

/** Those that reports to a question carry. */
export function carried(attributes: readonly Attribute[], question: string): readonly Attribute[] {
  return attributes.filter(({ questions }) => !questions || questions.includes(question));
}

/** The number of what is said with reports to a question. */
export function combinationOf(attributes: readonly Attribute[], question: string, said: Attributes): number {
  return carried(attributes, question).reduce(
    (number, { name, values }) => number * (values.length + 1) + values.indexOf(said[name] ?? "") + 1, 0,
  );
}

/** Throws `AnswerError` for an attribute, or a value of one, that the survey does not list. */
export function checkSaid(attributes: readonly Attribute[], said: Attributes): void {
  for (const [name, value] of Object.entries(said)) {
    const listed = attributes.find((attribute) => attribute.name === name);
    if (!listed?.values.includes(value)) {
      throw new AnswerError(`attribute ${name}: expected one that the survey lists, and one of its values`);
    }
  }
}

/** What the fingerprint of a question covers of them. */
export function attributeParts(attributes: readonly Attribute[], question: string): string[] {
  return carried(attributes, question).flatMap(({ name, values }) => (
    [`attribute=${name}`, String(values.length), ...values]
  ));
}
