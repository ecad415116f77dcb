/**
 * The text of a survey in the one spelling that registers have (`ldp/survey/survey_toml.py`): a header for each table, a line for
 * each key. TOML that is written in any other way is refused rather than read, so that nothing means one thing here, and
 * another to those who read the register: strings of several lines, comments, dotted keys, headers within headers.
 */

import { SurveyError } from "./errors.js";

/** A number is the text of it. */
export type Written = string | boolean | readonly Written[] | Table;
export interface Table {
  readonly [key: string]: Written;
}

/** A header, or a text, a sign, or a word outside texts; spaces and line ends separate them. */
const TOKEN = /\n(\[\[?[\w-]+\]\]?)(?=\n)|"(?:[^"\\\x00-\x1f\x7f]|\\(?:["\\nrt]|u[0-9a-f]{4}))*"|[[\]{},=]|[\w.+:-]+| +|\n/gy;
const HEADER = /^\[\[?[\w-]+\]\]?$/;
const KEY = /^(?:[\w-]+|".*")$/;

/** The tables of a text, by their headers: `[survey]`, `[[question]]`. Throws `SurveyError` for another spelling. */
export function tablesOf(text: string): ReadonlyMap<string, readonly Table[]> {
  const tables = new Map<string, Table[]>();
  const tokens = new Tokens(`\n${text}`);
  while (!tokens.isAtEnd) {
    const header = tokens.next().trim();
    const isOneOfMany = header.startsWith("[[");
    if (!HEADER.test(header) || isOneOfMany !== header.endsWith("]]") || (!isOneOfMany && tables.has(header))) throw otherwise();
    const table = tableOf(tokens, () => tokens.isAtEnd || tokens.isAtHeader);
    tables.set(header, [...(tables.get(header) ?? []), table]);
  }
  return tables;
}

class Tokens {
  readonly #all: string[];
  #at = 0;

  constructor(text: string) {
    const found = text.match(TOKEN) ?? [];
    // What is no token ends the search; three quotes begin a text of several lines.
    if (found.join("").length !== text.length || text.includes('"""')) throw otherwise();
    this.#all = found.filter((token) => token.trim());
  }

  get isAtEnd(): boolean {
    return this.#at === this.#all.length;
  }

  get isAtHeader(): boolean {
    return this.#all[this.#at]!.startsWith("\n");
  }

  /** Whether the next one is this one, which then is behind. */
  take(token: string): boolean {
    const isNext = this.#all[this.#at] === token;
    if (isNext) this.#at += 1;
    return isNext;
  }

  next(): string {
    const token = this.#all[this.#at];
    if (token === undefined) throw otherwise();
    this.#at += 1;
    return token;
  }
}

/** Keys with their values, until there are no more; `between` stands between two of them. */
function tableOf(tokens: Tokens, isOver: () => boolean, between = ""): Table {
  const pairs = new Map<string, Written>();
  while (!isOver()) {
    if (between && pairs.size && !tokens.take(between)) throw otherwise();
    const word = tokens.next();
    const key = word.startsWith('"') ? textOf(word) : word;
    if (!KEY.test(word) || pairs.has(key) || !tokens.take("=")) throw otherwise();
    pairs.set(key, valueOf(tokens));
  }
  return Object.fromEntries(pairs);
}

function valueOf(tokens: Tokens): Written {
  if (tokens.take("{")) return tableOf(tokens, () => tokens.take("}"), ",");
  if (tokens.take("[")) return listOf(tokens);
  const word = tokens.next();
  if (word.startsWith('"')) return textOf(word);
  if (!/^[\w.+:-]+$/.test(word)) throw otherwise();
  return word === "true" || word === "false" ? word === "true" : word;
}

function listOf(tokens: Tokens): Written[] {
  const items: Written[] = [];
  let isOpen = true;
  while (!tokens.take("]")) {
    if (!isOpen) throw otherwise();
    items.push(valueOf(tokens));
    isOpen = tokens.take(",");
  }
  return items;
}

/** A text, in whose spelling TOML and JSON agree. */
function textOf(word: string): string {
  return JSON.parse(word) as string;
}

function otherwise(): SurveyError {
  return new SurveyError("expected the text of a survey in the spelling of a register, got another one");
}
