/** Reports, and the bytes that they travel as (`client/ldp_client/reports.py`). */

import { type Bytes, concat, hex } from "./bytes.js";
import { type Random, system } from "./randomness.js";
import { type Batch, ID_SIZE, MOST_PAYLOAD, MOST_REPORTS, encodeBatch, encodeFrame } from "./wire.js";

/** One randomized answer: the fingerprint of its question, and the bytes that may leave the device. */
export interface Report {
  readonly fingerprint: Bytes;
  readonly row: Bytes;
}

const HEAD = 256;

/**
 * Reports grouped by question into batches of at most `size`, each under a fresh random id. Group only reports that may
 * be seen together: whoever receives a batch learns that its reports travelled together.
 */
export function batches(reports: Iterable<Report>, size = 1000, random: Random = system): Batch[] {
  const byQuestion = new Map<string, Report[]>();
  for (const report of reports) {
    const name = hex(report.fingerprint);
    const alike = byQuestion.get(name);
    if (alike) alike.push(report);
    else byQuestion.set(name, [report]);
  }
  return [...byQuestion.values()].flatMap((alike) => {
    const { fingerprint, row } = alike[0]!;
    const step = Math.max(1, Math.min(size, MOST_REPORTS, Math.floor((MOST_PAYLOAD - HEAD) / row.length)));
    return Array.from({ length: Math.ceil(alike.length / step) }, (_, number) => {
      const chunk = alike.slice(number * step, (number + 1) * step);
      return { fingerprint, id: random(ID_SIZE), size: chunk.length, rows: concat(chunk.map((report) => report.row)) };
    });
  });
}

/** Reports as the bytes of a report file or an upload: one frame for each batch. Files may be concatenated. */
export function reportBytes(reports: Iterable<Report>, size = 1000, random: Random = system): Bytes {
  return concat(batches(reports, size, random).map((batch) => encodeFrame(encodeBatch(batch))));
}
