/**
 * A register of surveys that an app pins (`client/ldp_client/answering/registered.py`, `ldp/transparency/proofs.py`): its clients open a
 * survey only with a proof that this very version, its words included, is an entry of that register, or of one that has grown
 * out of it. An entry of its own (`ldpkit-client/register`), so that who pins none loads none of it.
 *
 * A device reads compiled surveys, and an entry has the text that they were compiled from. Compared are what the entry says of
 * that text, fingerprint and terms, and the words in it. That an entry says the truth of its own text is seen by everyone who
 * reads the register (`ldp survey register verify`), and by clients in Python.
 */

import { type Bytes, fromHex, utf8 } from "./bytes.js";
import { type Check, absentOr, bytesAsHex, constant, integerFrom, listOf, optional, readJSON, record, text, textLike } from "./checks.js";
import { SurveyError } from "./errors.js";
import { type Head, isConsistent, isIncluded, isSame, leafHash } from "./merkletree.js";
import type { Survey } from "./survey.js";
import { type Table, type Written, tablesOf } from "./surveytext.js";

const MOST_ENTRIES = 2 ** 32;
/** Hashes of a proof: twice as many as the largest log takes. */
const LONGEST_PATH = 64;
const LONGEST_LINE = 1 << 26;
const HEAD = /^(0|[1-9][0-9]{0,9}):([0-9a-f]{64})$/;

interface Extension {
  readonly size: number;
  readonly path: readonly string[];
}

interface Proof extends Extension {
  readonly proof: "inclusion";
  readonly entry: string;
  readonly index: number;
  readonly root: string;
  readonly since: Extension | null | undefined;
}

interface Entry {
  readonly entry: number;
  readonly previous: string;
  readonly day: string;
  readonly survey: string;
  readonly fingerprint: string;
  readonly terms: string;
  readonly worse: readonly string[];
  readonly accepted: string | null;
  readonly toml: string;
  readonly page?: string | undefined;
}

const whole = integerFrom(0, MOST_ENTRIES);
const hash = bytesAsHex(32);
const extension = { size: whole, path: listOf(hash) };

const PROOF: Check<Proof> = record<Proof>({
  proof: constant("inclusion"), entry: text, index: whole, root: hash, ...extension, since: absentOr(optional(record<Extension>(extension))),
});

/** In the order in which a line has them. */
const ENTRY: Check<Entry> = record<Entry>({
  entry: whole,
  previous: hash,
  day: textLike(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/, "a day"),
  survey: text,
  fingerprint: bytesAsHex(16),
  terms: bytesAsHex(16),
  worse: listOf(text),
  accepted: optional(text),
  toml: text,
  page: absentOr(hash),
});

export class PinnedRegister {
  readonly #head: Head;
  readonly #proof: Proof;

  /**
   * `head` is SIZE:ROOT, as `ldp survey register head` prints it; `proof` what `ldp survey register prove inclusion` writes, as JSON or as
   * read from it. Throws `SurveyError` for others.
   */
  constructor(head: string, proof: unknown) {
    const [, size, root] = HEAD.exec(head.trim()) ?? [];
    if (!root || Number(size) > MOST_ENTRIES) {
      throw new SurveyError(`expected the head of a register, SIZE:ROOT as ldp survey register head prints it, got "${head.slice(0, 80)}"`);
    }
    if (!Number(size)) throw new SurveyError("expected the head of a register with entries, got that of an empty one");
    this.#head = { size: Number(size), root: fromHex(root) };
    this.#proof = readJSON(typeof proof === "string" ? proof : JSON.stringify(proof ?? null), PROOF, "proof", SurveyError);
  }

  /** Throws `SurveyError` unless the proof leads from the survey, word for word, to the pinned head. */
  check(survey: Survey): void {
    const entry = this.#included();
    const isOther = entry.survey !== survey.name || entry.fingerprint !== survey.fingerprint || entry.terms !== survey.terms;
    const what = isOther ? "" : ", with other words or another order";
    if (isOther || !isWordForWord(tablesOf(entry.toml), survey)) {
      throw new SurveyError(
        `expected a proof for ${survey.name} (${survey.fingerprint}), got one for ${entry.survey} (${entry.fingerprint}${what}): ` +
          "this version is not the one that is registered",
      );
    }
  }

  #included(): Entry {
    const { entry: line, index, path, since } = this.#proof;
    const head: Head = { size: this.#proof.size, root: fromHex(this.#proof.root) };
    if (head.size < this.#head.size) {
      throw new SurveyError(`expected a proof for a head of ${this.#head.size} entries or more, got one for ${head.size}`);
    }
    if (head.size === this.#head.size && !isSame(head.root, this.#head.root)) {
      throw new SurveyError("expected a proof for the pinned head, got one for another: another register, or one that was changed");
    }
    if (head.size > this.#head.size && !(since?.size === this.#head.size && isConsistent(this.#head, head, hashes(since.path)))) {
      throw new SurveyError(
        `expected a proof that the register goes on from the pinned head of ${this.#head.size} entries to its ${head.size}, got ` +
          `none: ldp survey register prove inclusion --since ${this.#head.size} adds it`,
      );
    }
    if (!isIncluded(leafHash(utf8(line)), index, head, hashes(path))) {
      throw new SurveyError("expected a proof that leads from its entry to its root, got one that leads elsewhere: either was changed");
    }
    return entryOf(line);
  }
}

function hashes(path: readonly string[]): Bytes[] {
  if (path.length > LONGEST_PATH) throw new SurveyError(`expected a proof of at most ${LONGEST_PATH} hashes, got more`);
  return path.map(fromHex);
}

/** The entry of a line. Other spellings of the same JSON are refused, so that a line has one meaning. */
function entryOf(line: string): Entry {
  const entry = readJSON(line.slice(0, LONGEST_LINE), ENTRY, "the proof's entry", SurveyError);
  const written = (value: unknown): string => (
    Array.isArray(value) ? `[${value.map(written).join(", ")}]` : JSON.stringify(value)
  );
  const said = Object.entries(entry).filter(([, value]) => value !== undefined);
  const members = said.map(([key, value]) => `${JSON.stringify(key)}: ${written(value)}`);
  if (`{${members.join(", ")}}` !== line) throw new SurveyError("expected an entry in the spelling of a register, got another one");
  return entry;
}

/** Whether a text asks the questions of a survey in the same words and order. */
function isWordForWord(tables: ReadonlyMap<string, readonly Table[]>, { name, questions }: Survey): boolean {
  const [head] = tables.get("[survey]") ?? [];
  const asked = tables.get("[[question]]") ?? [];
  const isAsked = asked.length === questions.length && questions.every((question, place) => isSpelled(asked[place], question));
  return head?.["name"] === name && isAsked;
}

interface Worded {
  readonly name: string;
  readonly text: string;
  readonly fields?: readonly Worded[] | undefined;
}

function isSpelled(table: Written | undefined, { name, text: words, fields = [] }: Worded): boolean {
  if (!isTable(table)) return false;
  const parts = partsOf(table);
  const isOfParts = parts.length === fields.length && fields.every((field, place) => isSpelled(parts[place], field));
  return table["name"] === name && (table["text"] ?? "") === words && isOfParts;
}

/** The parts of an answer: the fields of a table, or the axes of a place, which have names if they are not called by their keys. */
function partsOf(table: Table): readonly Written[] {
  if (isList(table["field"])) return table["field"];
  return ["x", "y"].flatMap((name) => {
    const axis = table[name];
    return isTable(axis) ? [{ name, ...axis }] : [];
  });
}

function isTable(written: Written | undefined): written is Table {
  return typeof written === "object" && !isList(written);
}

function isList(written: Written | undefined): written is readonly Written[] {
  return Array.isArray(written);
}
