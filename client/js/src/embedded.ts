/** Surveys that are built into a program, which `ldp client codegen --language typescript` writes. */

import type { CompiledSurvey } from "./compiled.js";
import { type Parts, Survey } from "./survey.js";

/** What JSON has of a value: objects for maps, and what is undefined left out. */
type Written<T> = T extends ReadonlyMap<string, infer Value> ? Readonly<Record<string, Written<Value>>>
  : T extends readonly (infer Item)[] ? readonly Written<Item>[]
  : T extends object ? Always<T> & Sometimes<T>
  : T;
type Always<T> = { readonly [Key in keyof T as undefined extends T[Key] ? never : Key]: Written<T[Key]> };
type Sometimes<T> = { readonly [Key in keyof T as undefined extends T[Key] ? Key : never]?: Written<Exclude<T[Key], undefined>> };

/** The compiled form of a survey, as `ldp check --compiled` writes it. */
export type WrittenSurvey = Written<CompiledSurvey>;

/**
 * The survey of a compiled form that was checked when the program was written, so that it is not checked again: it takes
 * the parts that it names, and no others. `readSurvey` reads what comes from anywhere else.
 */
export function embeddedSurvey(written: WrittenSurvey, parts: Parts): Survey {
  const questions = written.questions.map(({ integers, parents, ...question }) => ({
    ...question,
    integers: new Map(Object.entries(integers)),
    parents: parents && new Map(Object.entries(parents)),
  }));
  return new Survey({ ...written, questions } as unknown as CompiledSurvey, parts);
}
