/**
 * What was sent, in words: the report of a question next to its answer. It is shown once it has been sent, and not before: who
 * could look first, and leave, would leave more often after one report than after another.
 */

import { type Bytes, hex } from "../src/bytes.js";
import { questionsOf } from "../src/joint.js";
import type { Question, Survey } from "../src/survey.js";
import type { Outcome, Transport } from "../src/transport.js";
import { FRAME_HEAD, decodeBatch } from "../src/wire.js";
import { type Voice, isolated } from "./texts.js";

const [MOST_SHOWN, MOST_SIZE, MOST_BYTES] = [4, 1 << 14, 12];

/** What became of the report to a question. */
export interface Sent {
  readonly row: Bytes;
  readonly id: string;
  readonly verdict: Outcome["verdict"];
  readonly reason: string;
}

/** A transport that hands on to another one, and keeps what was sent, by question. */
export function witnessed(transport: Transport, survey: Survey, kept: Map<string, Sent>): Transport {
  return {
    destination: transport.destination,
    async send(payload, signal) {
      const { fingerprint, id, rows } = decodeBatch(payload.subarray(FRAME_HEAD));
      const note = ({ verdict, reason = "" }: Outcome): void => {
        let at = 0;
        for (const question of questionsOf(hex(fingerprint), survey)) {
          const { width } = question.randomizer;
          kept.set(question.name, { row: rows.slice(at, at + width), id: hex(id), verdict, reason });
          at += width;
        }
      };
      note({ verdict: "retry" });
      const outcome = await transport.send(payload, signal);
      note(outcome);
      return outcome;
    },
  };
}

/** What a report says: one answer, a group of them, or bytes that stand for none in particular. */
export function saidBy({ name, randomizer, values, fields }: Question, row: Bytes, voice: Voice): string {
  const bytes = `${hex(row.subarray(0, MOST_BYTES))}${row.length > MOST_BYTES ? "…" : ""}`;
  const plain = voice.say("bytes_were_sent", { bytes: isolated(bytes) });
  const { size } = randomizer;
  if (!randomizer.supports || !values || fields || size !== values.length || size > MOST_SIZE) return plain;
  const supported = values.filter((_, place) => randomizer.supports!(row, place));
  if (!supported.length) return voice.say("none_was_sent", { all: size });
  const labels = supported.slice(0, MOST_SHOWN).map((value) => isolated(voice.label(name, value))).join(", ");
  if (supported.length === 1) return voice.say("one_was_sent", { answer: labels });
  const more = supported.length > MOST_SHOWN ? "…" : "";
  return voice.say("some_were_sent", { answers: labels + more, number: supported.length, all: size });
}
