/**
 * Stop lists (`ldp/transparency/stops.py`, `client/ldp_client/embedding/stop_lists.py`): by which a collector has less asked than its survey says.
 *
 * - A list counts if the key that the app has pinned has signed it (Ed25519, by the platform), if it is about this survey, and
 *   if its serial number is not below that of the list before.
 * - Whether a device is among a share is drawn once for each question (of a group together), whatever the answers are, and
 *   kept for good.
 * - `otherwise` says what holds while there is no list, or none since `days`: all is asked (`ask`), or nothing (`stop`).
 */

import { type Bytes, concat, fromHex, toInteger, utf8 } from "./bytes.js";
import { LDPError } from "./errors.js";
import { type Random, bytesFrom } from "./randomness.js";
import type { Reason } from "./reasons.js";
import type { Entry, Records } from "./store.js";

const MAGIC = "LDPSTOPS1 ";
const CONTEXT = "a list of questions to stop, 1\n";
const HEAD_SIZE = MAGIC.length + 128 + 1;
const MOST_BYTES = 1 << 16;
const HEAD = /^LDPSTOPS1 ([0-9a-f]{128})\n$/;
const SHARE = /^(?:([01])|0\.([0-9]{1,9})|([1-9][0-9]{0,8})\/([1-9][0-9]{0,8}))$/;
const NUMBER_SIZE = 8;

/** Where lists and the draws of shares are kept. */
const LISTS = "s/stops/";
const SAMPLES = "s/sample/";

/** A list that is not to be followed. */
export class StopListError extends LDPError {
  override name = "StopListError";
}

type Share = readonly [bigint, bigint];

export class StopRule {
  readonly #key: Bytes;
  readonly #isNeeded: boolean;
  readonly #days: number;

  /** `key` is what `ldp survey stop-list key` printed. Throws `RangeError` for a rule that cannot be followed. */
  constructor(key: string, { otherwise = "ask", days = 14 }: { otherwise?: "ask" | "stop"; days?: number } = {}) {
    if (!/^[0-9a-f]{64}$/.test(key)) throw new RangeError("expected the 64 hexadecimal digits that `ldp survey stop-list key` prints");
    if (otherwise !== "ask" && otherwise !== "stop") throw new RangeError("expected otherwise to be ask or stop");
    if (!(days >= 1)) throw new RangeError(`expected days of 1 or more, got ${days}`);
    [this.#key, this.#isNeeded, this.#days] = [fromHex(key), otherwise === "stop", days];
  }

  /** Whether answers are lost for want of a list, and none was had today. */
  lacks(records: Records, place: string, day: number): boolean {
    return this.#isNeeded && records.get(LISTS + place)?.[1] !== day;
  }

  /** What is kept of a list. Rejects with `StopListError` one that is not to be followed. */
  async read(data: Bytes, survey: string, day: number): Promise<Entry> {
    const signature = HEAD.exec(new TextDecoder().decode(data.subarray(0, HEAD_SIZE)))?.[1];
    if (data.length > MOST_BYTES || signature === undefined) throw new StopListError("expected a stop list, got something else");
    const text = data.subarray(HEAD_SIZE);
    const key = await crypto.subtle.importKey("raw", this.#key, "Ed25519", false, ["verify"]);
    const message = concat([utf8(CONTEXT), text]);
    if (!await crypto.subtle.verify("Ed25519", key, fromHex(signature), message)) {
      throw new StopListError("expected a stop list with the signature of the pinned key, got another one");
    }
    return kept(JSON.parse(new TextDecoder().decode(text)), survey, day);
  }

  /** Follow a list from now on, unless it is older than the one before. */
  keep(records: Records, place: string, entry: Entry): void {
    const before = records.get(LISTS + place);
    if (!before || Number(before[0]) <= Number(entry[0])) records.put(LISTS + place, entry);
  }

  /** Why questions that are answered together are not asked; undefined if they are. */
  refusal(records: Records, place: string, names: readonly string[], random: Random, day: number): Reason | undefined {
    const entry = records.get(LISTS + place);
    if (!entry || (this.#isNeeded && day - Number(entry[1]) > this.#days)) return this.#isNeeded ? "no-stop-list" : undefined;
    const [top, bottom] = leastShare(entry, names);
    if (top === 0n) return "stopped";
    if (top === bottom) return undefined;
    const number = drawn(records, `${SAMPLES}${place}/${[...names].sort()[0]}`, random);
    return number * bottom < top << BigInt(8 * NUMBER_SIZE) ? undefined : "not-sampled";
  }
}

function kept(list: unknown, survey: string, day: number): Entry {
  const { survey: name, serial, shares, ...rest } = (list ?? {}) as Record<string, unknown>;
  const isWhole = Number.isSafeInteger(serial) && (serial as number) >= 0 && !Object.keys(rest).length;
  if (!isWhole || typeof shares !== "object" || shares === null) throw new StopListError("expected a stop list of this format");
  if (name !== survey) throw new StopListError(`expected a stop list for survey ${survey}, got one for another`);
  const written = Object.entries(shares).map(([question, share]) => {
    if (typeof share !== "string" || !shareOf(share)) throw new StopListError("expected shares from 0 to 1 in a stop list");
    return [question, share];
  });
  return [serial as number, day, ...written.flat()];
}

function shareOf(text: string): Share | undefined {
  const [, whole, decimals, top, bottom] = SHARE.exec(text) ?? [];
  const share: Share | undefined = whole !== undefined ? [BigInt(whole), 1n]
    : decimals !== undefined ? [BigInt(decimals), 10n ** BigInt(decimals.length)]
    : top !== undefined ? [BigInt(top), BigInt(bottom!)] : undefined;
  return share && share[0] <= share[1] ? share : undefined;
}

function leastShare(entry: Entry, names: readonly string[]): Share {
  let least: Share = [1n, 1n];
  for (let at = 2; at < entry.length; at += 2) {
    const share = names.includes(String(entry[at])) ? shareOf(String(entry[at + 1])) : undefined;
    if (share && share[0] * least[1] < least[0] * share[1]) least = share;
  }
  return least;
}

/** The number below 2^64 that a device has drawn for a question. */
function drawn(records: Records, key: string, random: Random): bigint {
  const before = records.get(key)?.[0];
  if (before !== undefined) return BigInt(String(before));
  const number = toInteger(bytesFrom(random, NUMBER_SIZE));
  records.put(key, [String(number)]);
  return number;
}
