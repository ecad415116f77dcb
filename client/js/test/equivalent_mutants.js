// Mutants that no law can notice, each with its reason: for test/survivors.js.

const SAVES_WORK = "the condition only saves work: what it leaves out changes nothing";
const NEVER_USED = "the default is for the type checker: a text has a first part, and no pattern tested before leaves one out";
const ALIKE = "both sides are the same where they are equal";
const UNLIKE = "names within a survey differ, so they are never compared with themselves";

const SURVIVORS = [
  ["arcs.ts", "drawn < within", "drawn <= within", ALIKE],
  ["arcs.ts", "worth[k]! < 0n", "worth[k]! <= 0n", ALIKE],
  ["budget.ts", "within(total, MOST)", "true", SAVES_WORK],
  ["checks.ts", "error instanceof SyntaxError", "true", "neither JSON.parse nor a check throws anything else"],
  ["field.ts", "left && right", "left || right", SAVES_WORK],
  ["fingerprint.ts", "left < right", "left <= right", UNLIKE],
  ["fingerprint.ts", "a < b", "a <= b", UNLIKE],
  ["fingerprint.ts", '""', '"Stryker was here!"', "a group that names no question is no one's, under either fingerprint"],
  ["fraction.ts", '""', '"Stryker was here!"', NEVER_USED],
  ["fraction.ts", "places < 0n", "places <= 0n", ALIKE],
  ["memory.ts", "false", "true", "whether the key could be exported: it is never handed out"],
  ["memory.ts", '""', '"Stryker was here!"', "no response is kept under either key"],
  ["projective.ts", "trueVector - place", "trueVector + place", "its product is with a vector that is 0 from this place on"],
  ["randomness.ts", "at < size", "at <= size", "the platform is asked for no bytes once more"],
  ["rappor.ts", "one > zero", "one >= zero", ALIKE],
  ["ratio.ts", '""', '"Stryker was here!"', NEVER_USED],
  ["ratio.ts", "top < most", "top <= most", ALIKE],
];

export const EQUIVALENT = SURVIVORS.map(([file, from, to, reason]) => ({ file: `src/${file}`, from, to, reason }));
