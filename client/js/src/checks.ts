/** JSON that is checked before it is believed. A check returns what it was given, or says what was expected where. */

export type Check<T> = (found: unknown, place: string) => T;

class Unexpected extends Error {}

/** The JSON value of a text, if it passes the check; else an error of the given kind, which repeats no content. */
export function readJSON<T>(text: string, check: Check<T>, place: string, Kind: new (message: string) => Error): T {
  try {
    return check(JSON.parse(text), place);
  } catch (error) {
    if (error instanceof Unexpected) throw new Kind(error.message);
    if (error instanceof SyntaxError) throw new Kind(`${place}: expected JSON`);
    throw error;
  }
}

export function textLike(pattern: RegExp, what: string): Check<string> {
  return (found, place) => {
    if (typeof found !== "string" || !pattern.test(found)) throw new Unexpected(`${place}: expected ${what}`);
    return found;
  };
}

export const text = textLike(/^/, "text");

export const decimal = textLike(/^(0|[1-9][0-9]*)$/, "a whole number as text");

export function bytesAsHex(size: number): Check<string> {
  return textLike(new RegExp(`^([0-9a-f]{2}){${size}}$`), `${size} bytes as hexadecimal text`);
}

export function integerFrom(least: number, most = Number.MAX_SAFE_INTEGER): Check<number> {
  return (found, place) => {
    if (!Number.isInteger(found) || (found as number) < least || (found as number) > most) {
      throw new Unexpected(`${place}: expected a whole number from ${least} to ${most}`);
    }
    return found as number;
  };
}

export function constant<T>(expected: T): Check<T> {
  return (found, place) => {
    if (found !== expected) throw new Unexpected(`${place}: expected ${String(expected)}`);
    return expected;
  };
}

/** Null, or what the check accepts. */
export function optional<T>(check: Check<T>): Check<T | null> {
  return (found, place) => (found === null ? null : check(found, place));
}

/** Nothing at all, or what the check accepts. */
export function absentOr<T>(check: Check<T>): Check<T | undefined> {
  return (found, place) => (found === undefined ? undefined : check(found, place));
}

/** A text that passes one check, or something else that passes another. */
export function textOr<T>(ofText: Check<string>, otherwise: Check<T>): Check<string | T> {
  return (found, place) => (typeof found === "string" ? ofText(found, place) : otherwise(found, place));
}

export function listOf<T>(check: Check<T>): Check<T[]> {
  return (found, place) => {
    if (!Array.isArray(found)) throw new Unexpected(`${place}: expected a list`);
    return found.map((entry, number) => check(entry, `${place}[${number}]`));
  };
}

/** An object whose values all pass one check, whatever they are called. */
export function mapOf<T>(check: Check<T>): Check<Map<string, T>> {
  return (found, place) => {
    const entries = Object.entries(objectAt(found, place));
    return new Map(entries.map(([name, entry]) => [name, check(entry, `${place}.${name}`)]));
  };
}

/** An object with these members, each with its own check. */
export function record<T extends object>(checks: { readonly [Name in keyof T]: Check<T[Name]> }): Check<T> {
  return (found, place) => {
    const members = objectAt(found, place);
    const names = Object.keys(checks) as (keyof T & string)[];
    return Object.fromEntries(names.map((name) => [name, checks[name](members[name], `${place}.${name}`)])) as T;
  };
}

function objectAt(found: unknown, place: string): Record<string, unknown> {
  if (typeof found !== "object" || found === null || Array.isArray(found)) {
    throw new Unexpected(`${place}: expected an object`);
  }
  return found as Record<string, unknown>;
}
