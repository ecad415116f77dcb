/**
 * Reports, and the bytes that they travel as (`client/ldp_client/answering/reports.py`). Where a survey has epochs, make batches
 * when they are about to be sent: what a collector gets after their epoch's grace is lost.
 */

import { type Bytes, concat, hex } from "./bytes.js";
import { batchId } from "./epochs.js";
import { type Random, shuffled, system } from "./randomness.js";
import { type Batch, MOST_PAYLOAD, MOST_REPORTS, encodeBatch, encodeFrame } from "./wire.js";

/**
 * One randomized answer: the fingerprint of its question, the bytes that may leave the device, and the length of its
 * survey's epochs in seconds, if it has any. One that an embedded client makes once has a mark (`tapes.ts`).
 */
export interface Report {
  readonly fingerprint: Bytes;
  readonly row: Bytes;
  readonly epoch: number | undefined;
  readonly mark?: Bytes | undefined;
  /** What is said openly of the device (`attributes.ts`), as it was when the answer was recorded; nothing if absent. */
  readonly combination?: number;
}

const HEAD = 256;

/**
 * Reports grouped by question, and by what is said of the device, into batches of at most `size`, each under a fresh id. Group only reports that may be
 * seen together: anyone who receives a batch learns that its reports travelled together. They do so in a random order, rows
 * as well as batches: in which one they were made would tell more.
 */
export function batches(
  reports: Iterable<Report>, size = 1000, random: Random = system, clock: () => number = Date.now,
): Batch[] {
  const byQuestion = new Map<string, Report[]>();
  for (const report of shuffled(reports, random)) {
    const name = `${hex(report.fingerprint)}/${report.combination ?? 0}`;
    const alike = byQuestion.get(name);
    if (alike) alike.push(report);
    else byQuestion.set(name, [report]);
  }
  return [...byQuestion.values()].flatMap((alike) => {
    const step = together(alike[0]!, size);
    return Array.from({ length: Math.ceil(alike.length / step) }, (_, number) => (
      batchOf(alike.slice(number * step, (number + 1) * step), random, clock)
    ));
  });
}

/** How many reports such as this one travel together, at most. */
export function together({ row }: Report, size: number): number {
  return Math.max(1, Math.min(size, MOST_REPORTS, Math.floor((MOST_PAYLOAD - HEAD) / row.length)));
}

/** Reports to one question as one batch, in the order in which they come. */
export function batchOf(alike: readonly Report[], random: Random, clock: () => number): Batch {
  const { fingerprint, epoch, combination = 0 } = alike[0]!;
  const id = batchId(random, epoch, clock() / 1000);
  return { fingerprint, id, size: alike.length, rows: concat(alike.map(({ row }) => row)), combination };
}

/** Reports as the bytes of a report file or an upload: one frame for each batch. Files may be concatenated. */
export function reportBytes(
  reports: Iterable<Report>, size = 1000, random: Random = system, clock: () => number = Date.now,
): Bytes {
  return concat(batches(reports, size, random, clock).map((batch) => encodeFrame(encodeBatch(batch))));
}
