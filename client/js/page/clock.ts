/**
 * Whether the device's clock is so wrong that no collector would take its reports, which bear the epoch in which they are made. It is
 * looked at before anybody answers, since a report may be the only one that a device has to give.
 */

import { epochAt } from "../src/epochs.js";

/** Seconds by which a clock may be wrong: collectors take what is as much ahead, and files that lie in caches bear an older time. */
const LEAST = 3600;

/** The time of the host that sent these headers, in milliseconds after 1970 began; `NaN` where it says none. */
export function timeOf(headers: Headers): number {
  return Date.parse(headers.get("date") ?? "") + 1000 * Number(headers.get("age") ?? "0");
}

/** Whether reports of a device would be of an epoch that has not begun, by a host's clock, or one that is long over. */
export function isWrong(here: number, there: number, epoch: number | undefined): boolean {
  if (epoch === undefined || Number.isNaN(there)) return false;
  const isAhead = epochAt(here / 1000, epoch) > epochAt(there / 1000 + LEAST, epoch);
  return isAhead || there - here > 1000 * Math.max(epoch, LEAST);
}
