// What came of `npm run mutate` (mutants.json): mutants by file, and those that no law noticed and no one gave a reason for.

import { readFile } from "node:fs/promises";

import { EQUIVALENT } from "./equivalent_mutants.js";

const KILLED = new Set(["Killed", "Timeout"]);
const LEAST = 0.95;

const { files } = JSON.parse(await readFile(new URL("../mutants.json", import.meta.url), "utf8"));

/** The code that a mutant replaces. */
function replaced(lines, { start, end }) {
  const part = lines.slice(start.line - 1, end.line);
  part.push(part.pop().slice(0, end.column - 1));
  part[0] = part[0].slice(start.column - 1);
  return part.map((line) => line.trim()).join(" ");
}

let [killed, equivalent, survived] = [0, 0, 0];
for (const [file, { source, mutants }] of Object.entries(files)) {
  const lines = source.split("\n");
  const tried = mutants.filter(({ status }) => status !== "Ignored");
  const alive = tried.filter(({ status }) => !KILLED.has(status)).map(({ location, replacement }) => (
    { line: location.start.line, from: replaced(lines, location), to: replacement.replace(/\s+/g, " ") }
  ));
  const unexplained = alive.filter(({ from, to }) => (
    !EQUIVALENT.some((each) => each.file === file && each.from === from && each.to === to)
  ));
  killed += tried.length - alive.length;
  equivalent += alive.length - unexplained.length;
  survived += unexplained.length;
  console.log(`${file}: ${tried.length - alive.length} of ${tried.length} killed, ${alive.length - unexplained.length} equal`);
  for (const { line, from, to } of unexplained) console.log(`  ${file}:${line}: ${from} -> ${to}`);
}
const share = killed / (killed + survived);
console.log(`${killed} killed, ${equivalent} equivalent, ${survived} survived: ${(100 * share).toFixed(1)} % of the others`);
process.exitCode = share < LEAST ? 1 : 0;
