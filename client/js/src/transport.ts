/**
 * How bytes get to a collector. A transport takes the bytes of one batch and says what became of them; bring your own by
 * implementing `Transport`.
 */

import type { Bytes } from "./bytes.js";
import type { Reason } from "./reasons.js";

/**
 * - `accepted`, `duplicate`, `quarantined`: the collector has it. `late`, `early`, `rejected`: it has dropped it.
 * - `refused`: it says that it can never take these bytes.
 * - `retry`: later, and not before `wait` seconds. `held`: as that, after a long pause, since someone has to mend something.
 *   `offline`: as that, within seconds, as it reached no one.
 *
 * `reason` is a word or two about the cause: a status, or the name of an error.
 */
export interface Outcome {
  readonly verdict: Verdict;
  readonly wait?: number;
  readonly reason?: string;
}

const VERDICTS = [
  "accepted", "duplicate", "quarantined", "late", "early", "rejected", "refused", "retry", "held", "offline",
] as const satisfies Reason[];

export type Verdict = (typeof VERDICTS)[number];

export interface Transport {
  /** Which collector that is: what a device keeps for one serves no other. */
  readonly destination: string;
  /** Deliver the bytes of one batch. What it throws is taken for `retry`. The signal says when it is too late. */
  send(payload: Bytes, signal: AbortSignal): Promise<Outcome>;
  /** The collector's stop list of a survey, where it has one. */
  stops?(survey: string, signal: AbortSignal): Promise<Bytes | null>;
}

/** What carries the reports of a survey through a relay, and what seals a frame with one of them. */
export interface Way {
  readonly transport: Transport;
  /** The key of whoever reads them, whose scope they have by whichever relay they go. */
  readonly collector: string;
  readonly seal: (frame: Bytes) => Promise<Bytes>;
}

export interface HTTPSettings {
  /** What the collector asks for, as a bearer token. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the platform's. */
  readonly fetch?: typeof fetch;
}

const PATH = "/v1/reports";
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** Statuses of bytes that no collector ever takes, if it says so itself, by these reasons. */
const NEVER: Readonly<Record<number, string>> = { 400: "empty", 413: "too-large", 415: "encoded" };
const MAYBE_LATER = new Set([408, 425, 429]);
const LONGEST_WORD = 40;

/**
 * Posts batches over HTTPS; plain HTTP is for this very machine only. Accepted is 202 and nothing else: what stands between
 * (a login page of a café's network) says 200. Redirects are not followed. Only a 400, 413 or 415 with a collector's own
 * reason drops a batch; other refusals hold it.
 */
export class HTTPTransport implements Transport {
  readonly destination: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof fetch;

  /** Throws `RangeError` for an address that is none, or not safe. */
  constructor(collector: string, { token, headers = {}, fetch: own }: HTTPSettings = {}, private readonly path = PATH) {
    const url = URL.canParse(collector) ? new URL(collector) : undefined;
    const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.has(url.hostname));
    if (!url || !isSafe || url.search || url.hash || url.username || url.password) {
      throw new RangeError(`expected a collector's address such as https://collect.example, got "${collector}"`);
    }
    this.destination = url.origin + url.pathname.replace(/\/+$/, "") + path;
    this.#headers = {
      ...headers, "Content-Type": "application/octet-stream", ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    };
    // Browsers' own does not work as a method of anything else.
    this.#fetch = own ?? ((...request) => fetch(...request));
  }

  async send(payload: Bytes, signal: AbortSignal): Promise<Outcome> {
    const response = await this.#fetch(this.destination, {
      method: "POST", body: payload, headers: this.#headers, signal, redirect: "error", credentials: "omit", cache: "no-store",
    });
    return outcomeOfAnswer(response.status, response.headers.get("Retry-After"), await response.text());
  }

  async stops(survey: string, signal: AbortSignal): Promise<Bytes | null> {
    const place = `${this.destination.slice(0, -this.path.length)}/v1/surveys/${encodeURIComponent(survey)}/stops`;
    const { "Content-Type": _, ...headers } = this.#headers;
    const response = await this.#fetch(place, { headers, signal, redirect: "error", credentials: "omit", cache: "no-store" });
    return response.status === 200 ? new Uint8Array(await response.arrayBuffer()) : null;
  }
}

/** What an answer over HTTP means. */
export function outcomeOfAnswer(status: number, retryAfter: string | null, body: string): Outcome {
  const told = textsOf(body);
  if (status === 202) return decided(told);
  const reason = `status ${status}`;
  const never = NEVER[status];
  if (never !== undefined && told.reason === never) return { verdict: "refused", reason: `${reason}, ${never}` };
  const isHeld = status >= 400 && status < 500 && !MAYBE_LATER.has(status);
  return { verdict: isHeld ? "held" : "retry", wait: seconds(retryAfter), reason };
}

/** What a transport said, whatever an app's own may have returned. */
export function outcomeOf(said: unknown): Outcome {
  const { verdict, wait = 0, reason = "" } = (said ?? {}) as Partial<Outcome>;
  if (!VERDICTS.includes(verdict!) || !(Number(wait) >= 0)) return { verdict: "retry", reason: "no outcome" };
  return { verdict: verdict!, wait: Number(wait), reason: String(reason) };
}

/** How a collector has decided about one batch. Whatever else it says is taken for acceptance. */
function decided({ rejected, quarantined, duplicate }: Told): Outcome {
  const [reason] = Object.keys(rejected ?? {});
  if (reason === "late" || reason === "early") return { verdict: reason };
  // Somebody else wrote it.
  const word = reason?.replace(/[^a-z0-9-]/gi, "").slice(0, LONGEST_WORD);
  if (word !== undefined) return { verdict: "rejected", reason: word };
  if (quarantined) return { verdict: "quarantined" };
  return { verdict: duplicate ? "duplicate" : "accepted" };
}

interface Told {
  readonly reason?: unknown;
  readonly rejected?: object;
  readonly quarantined?: unknown;
  readonly duplicate?: unknown;
}

function textsOf(body: string): Told {
  try {
    const told: unknown = JSON.parse(body);
    return typeof told === "object" && told !== null ? told : {};
  } catch {
    return {};
  }
}

/** The wait that a header asks for, as seconds or as a date; 0 if it says neither. */
function seconds(header: string | null): number {
  const text = (header ?? "").trim();
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const until = text ? Date.parse(text) : NaN;
  return Number.isNaN(until) ? 0 : Math.max(0, (until - Date.now()) / 1000);
}
