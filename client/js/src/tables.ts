/** Answers with a record for each of several fields: a row of a table, or the axes of a place. */

import { type AnswerType, type Asked, type Reader, unfit } from "./answertype.js";
import type { CompiledChoices } from "./compiled.js";
import { SurveyError } from "./errors.js";

const OF_FIELDS = new Set(["boolean", "category", "integer", "number"]);

function readerOf(asked: Asked): Reader {
  const { name, type, fields, randomizer } = asked;
  if (!fields) throw new SurveyError(`question ${name}: expected fields for type ${type}`);
  const readers = fields.map((field) => asked.part(sound(field, name), `${name}.${field.name}`));
  const sizes = readers.map(({ size }) => size!);
  const told = randomizer?.sizes?.join();
  if (told !== undefined && told !== sizes.join()) throw new SurveyError(`question ${name}: expected fields with ${told} values`);
  const isTold = told !== undefined;
  return {
    gives: isTold ? "fields" : "values",
    size: sizes.reduce((product, size) => product * size, 1),
    value: (answer, random) => {
      const records = byName(answer, asked, fields);
      const values = readers.map((reader, place) => reader.value(records[fields[place]!.name], random) as number);
      // The cell of the table in which the answer lies.
      return isTold ? values : values.reduce((cell, value, place) => cell * sizes[place]! + value, 0);
    },
  };
}

function sound(field: CompiledChoices, name: string): CompiledChoices {
  const isListed = field.scale ? field.scale.edges !== undefined : field.values !== null;
  if (!OF_FIELDS.has(field.type) || !isListed) {
    throw new SurveyError(`question ${name}.${field.name}: expected a field with values or cells`);
  }
  return field;
}

/** The records of an answer by the names of their fields. A place may be a pair. */
function byName(
  answer: unknown, { name, type }: Asked, fields: readonly CompiledChoices[],
): Readonly<Record<string, unknown>> {
  const names = fields.map((field) => field.name);
  if (type === "place" && Array.isArray(answer) && answer.length === names.length) {
    return Object.fromEntries(names.map((own, place) => [own, answer[place]]));
  }
  const isByName = typeof answer === "object" && answer !== null && !Array.isArray(answer);
  const given = isByName ? Object.keys(answer) : [];
  if (given.length !== names.length || !names.every((own) => given.includes(own))) {
    throw unfit(name, `an answer for each of the fields ${names.join(", ")}, by name`);
  }
  return answer as Readonly<Record<string, unknown>>;
}

export const tables: AnswerType = [["table", "place"], readerOf];
