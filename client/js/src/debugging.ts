/**
 * A debug view (`client/ldp_client/delivery/debugging.py`, `ldp/wire/decoded.py`): what leaves a device, in plain words, when it is handed to
 * the transport: the question, the bytes and what each report supports; and then what became of it. What was answered is nowhere
 * near: by then it has been forgotten. A report is noise more often than not, and says of nobody what they answered.
 */

import { type Bytes, hex } from "./bytes.js";
import { questionsOf } from "./joint.js";
import type { Question, Survey } from "./survey.js";
import { type Transport, outcomeOf } from "./transport.js";
import { FRAME_HEAD, decodeBatch, isSealed } from "./wire.js";

const [MOST_ROWS, MOST_VALUES, MOST_BYTES, MOST_SIZE] = [10, 5, 16, 1 << 14];

/** A transport that tells what it hands on to another one, and what became of it. */
export function watched(transport: Transport, survey: Survey, tell: (message: string) => void): Transport {
  const say = (message: string): void => {
    try {
      tell(message);
    } catch {
      // An app's own log may fail as it likes.
    }
  };
  return {
    destination: transport.destination,
    ...(transport.stops && { stops: (name: string, signal: AbortSignal) => transport.stops!(name, signal) }),
    async send(payload, signal) {
      say(`sends ${payload.length} bytes: ${decoded(payload, survey).join("\n")}`);
      const outcome = await transport.send(payload, signal);
      say(`what became of it: ${outcomeOf(outcome).verdict}`);
      return outcome;
    },
  };
}

/** What a frame holds: a line for its batch, and one for each report, up to ten. */
function decoded(payload: Bytes, survey: Survey): string[] {
  if (isSealed(payload)) return ["a report that is sealed for the collector"];
  const { fingerprint, id, size, rows } = decodeBatch(payload.subarray(FRAME_HEAD));
  const questions = questionsOf(hex(fingerprint), survey);
  const width = rows.length / size;
  const names = questions.map(({ name }) => name).join("+");
  const lines = [`batch ${hex(id)}: question ${names}, ${size === 1 ? "1 report" : `${size} reports`} of ${width} bytes`];
  for (let at = 0; at < Math.min(size, MOST_ROWS); at += 1) {
    const row = rows.slice(at * width, (at + 1) * width);
    lines.push(`  ${hex(row.subarray(0, MOST_BYTES))}${width > MOST_BYTES ? "..." : ""}  ${said(row, questions)}`);
  }
  return size > MOST_ROWS ? [...lines, `  and ${size - MOST_ROWS} more`] : lines;
}

function said(row: Bytes, questions: readonly Question[]): string {
  let at = 0;
  const words = questions.map((question) => {
    const { width } = question.randomizer;
    at += width;
    const support = supported(question, row.slice(at - width, at));
    return questions.length > 1 ? `${question.name}: ${support}` : support;
  });
  return words.join("; ");
}

/** What a report to a question says, in words. */
function supported({ randomizer, values }: Question, report: Bytes): string {
  const { size } = randomizer;
  if (!randomizer.supports || size > MOST_SIZE) return "votes for no value in particular";
  const places = Array.from({ length: size }, (_, value) => value).filter((value) => randomizer.supports!(report, value));
  if (!places.length || places.length === size) return "supports no value more than another";
  const shown = places.slice(0, MOST_VALUES).map((place) => values?.[place] ?? String(place)).join(", ");
  const more = places.length > MOST_VALUES ? ` and ${places.length - MOST_VALUES} more` : "";
  return `supports ${shown}${more} (${places.length} of ${size} values)`;
}
