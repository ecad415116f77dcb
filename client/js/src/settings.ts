/** What an app says about how its embedded client works, and lets a survey ask for. */

import type { Attributes } from "./attributes.js";
import { SurveyError } from "./errors.js";
import type { QueueLimits } from "./outbox.js";
import type { Random } from "./randomness.js";
import { bound, power, within } from "./ratio.js";
import type { StopRule } from "./stops.js";
import type { Store } from "./store.js";
import type { Survey } from "./survey.js";
import type { HTTPSettings, Transport, Way } from "./transport.js";
import type { Handed } from "./vault.js";

/**
 * - `store` is where the device remembers: the browser's IndexedDB unless given.
 * - `collector` is the address that reports go to, with `http` for its token and the like; or `transport`, one of your own.
 *   or `relay`, a `Relay` that mixes reports, and the key of the collector who reads them (`relay.ts`). With none, reports wait.
 * - `lifetimeCap` is the largest epsilon, as text, that all surveys in the store may spend together: 10, or what the first of
 *   them asks for if that is more, unless given. `ceiling` is the largest that a question may ever cost; `pins` are the terms
 *   that are accepted.
 * - `register` is a `PinnedRegister` (`register.ts`): a survey that does not stand in it, word for word, is not opened.
 * - `strict` rejects what goes wrong, instead of counting it.
 * - `consent` is what holds as long as the person was never asked: `on` unless given.
 * - `interval` is the mean of seconds between uploads, an hour unless given; null to send at `flush` only. `timeout` are the
 *   seconds that one upload may take as a whole.
 * - `secret` is at least 16 bytes, or a function that fetches them, from the platform's key store: what the store keeps of
 *   answers is of no use without (`vault.ts`).
 * - `rollbackSafe` makes the same report of the same answer after the store was restored from a backup, or copied, so that it
 *   counts once (`tapes.ts`): true unless given.
 * - `attributes` are what reports say openly of the device, of those that the survey lists; what is not given is unknown.
 *   Reports that wait keep what held when they were recorded.
 * - `stops` is the key under which the collector may stop questions, or have fewer devices asked, and what holds without word
 *   from it.
 * - `log` is told of each kind of trouble once: the console, unless given.
 * - `debug` tells it what leaves as well, in plain words (`debugging.ts`).
 */
export interface EmbeddedSettings {
  readonly store?: Store;
  readonly collector?: string;
  readonly http?: HTTPSettings;
  readonly transport?: Transport;
  readonly relay?: { way(survey: Survey, another: unknown): Way };
  readonly lifetimeCap?: string;
  readonly ceiling?: string;
  readonly pins?: readonly string[];
  readonly register?: Registers;
  readonly strict?: boolean;
  readonly consent?: "on" | "off";
  readonly limits?: Partial<QueueLimits>;
  readonly interval?: number | null;
  readonly timeout?: number;
  readonly secret?: Handed;
  readonly rollbackSafe?: boolean;
  readonly attributes?: Attributes;
  readonly stops?: StopRule;
  readonly log?: (message: string) => void;
  readonly debug?: boolean;
}

const KNOWN = [
  "store", "collector", "http", "transport", "relay", "lifetimeCap", "ceiling", "pins", "register", "strict", "consent", "limits",
  "interval", "timeout", "secret", "rollbackSafe", "attributes", "stops", "log", "debug",
] satisfies (keyof EmbeddedSettings)[] as string[];

/** Throws `RangeError` for a setting that there is not: without types a misspelt cap would be none. */
export function refuseUnknown(settings: EmbeddedSettings): void {
  const unknown = Object.keys(settings).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) throw new RangeError(`expected settings, got ${unknown}, which is none`);
}

/** What throws `SurveyError` for a survey that it does not know. */
export interface Registers {
  check(survey: Survey): void;
}

/** What tests of an app replace: randomness, and the time in milliseconds since 1970. */
export interface Means {
  readonly random?: Random;
  readonly now?: () => number;
}

/** Throws `SurveyError` for a question that can ever cost more than the ceiling, terms that are not pinned, or no entry of a register. */
export function refuseBeyond(survey: Survey, { ceiling, pins, register }: EmbeddedSettings): void {
  const { questions, terms } = survey;
  const most = ceiling === undefined ? undefined : bound(ceiling);
  for (const { name, answerable, price, charges } of questions) {
    if (!most || !answerable || within(power(price, charges), most)) continue;
    throw new SurveyError(`question ${name}: expected at most epsilon ${ceiling}, ever, which is this app's ceiling`);
  }
  if (pins && !pins.includes(terms)) throw new SurveyError(`expected terms that this app pins, got ${terms}`);
  register?.check(survey);
}
