// Registers that an app pins (src/register.ts, src/merkletree.ts, src/surveytext.ts), by the vectors that both clients share.

import { utf8, hex } from "../dist/bytes.js";
import { Client, EmbeddedClient, MemoryStore, SurveyError, readSurvey } from "../dist/index.js";
import { isConsistent, isIncluded, leafHash } from "../dist/merkletree.js";
import { PinnedRegister } from "../dist/register.js";
import { tablesOf } from "../dist/surveytext.js";
import { holds, refusal, same } from "./support.js";

const surveysOf = ({ surveys }) => Promise.all(surveys.map(({ compiled }) => readSurvey(JSON.stringify(compiled))));

/** The head and the proof of a register of one line, whatever stands in it. */
function registerOf(line) {
  const root = hex(leafHash(utf8(line)));
  return [`1:${root}`, { proof: "inclusion", entry: line, index: 0, size: 1, root, path: [], since: null }];
}

const HEAD = '[survey]\nname = "trip"\n';
const ASKED = '[[question]]\nname = "mode"\ntext = "How?"\n';
/** Not as registers spell it, though TOML may take it. */
const OTHERWISE = [
  "", "\n", "# trip\n", `${HEAD}# no`, `name = "x"\n`, `${HEAD}${HEAD}`, `${HEAD}name = "trip"\n`, "[survey\n", "survey]\n", "[[survey]\n",
  "[survey]]\n", "[a.b]\n", `["survey"]\n`, "[survey] name = 3\n", `${HEAD}a.b = 1\n`, `${HEAD}a =\n`, `${HEAD}a\n`, `${HEAD}= 3\n`,
  `${HEAD}a = 'x'\n`, `${HEAD}a = """x"""\n`, `${HEAD}a = """\nb = "c"\n"""\n`, `${HEAD}a = "x\n"\n`, `${HEAD}a = "x\n`, `${HEAD}a = "\\x"\n`,
  `${HEAD}a = "\\u00zz"\n`, `${HEAD}a = "\\u00E4"\n`, `${HEAD}a = "\u007f"\n`, `${HEAD}a = [1 2]\n`, `${HEAD}a = [1,, 2]\n`, `${HEAD}a = [1\n`,
  `${HEAD}a = [,]\n`, `${HEAD}a = { "b" = 1 "c" = 2 }\n`, `${HEAD}a = { "b" = 1, }\n`, `${HEAD}a = { "b" = 1, "b" = 2 }\n`,
  `${HEAD}a = { "b" }\n`, `${HEAD}a = { "b" = }\n`, `${HEAD}a = {\n`, `${HEAD}a = =\n`, `${HEAD}a = 1\r\n`, `${HEAD}a = 1\t\n`, `${HEAD}a = }\n`,
];

export const REGISTER_LAWS = {
  "a survey that stands in the pinned register is opened, whatever the head and the proof": async ({ read }) => {
    const vectors = await read("registered");
    const surveys = await surveysOf(vectors);
    for (const { survey, head, proof } of vectors.taken) {
      for (const given of [proof, JSON.stringify(proof)]) new PinnedRegister(` ${head}\n`, given).check(surveys[survey]);
    }
  },

  "another version, other words, another register and a broken proof are refused": async ({ read }) => {
    const vectors = await read("registered");
    const surveys = await surveysOf(vectors);
    for (const { what, survey, head, proof } of vectors.refused) {
      const check = () => new PinnedRegister(head, proof).check(surveys[survey]);
      await refusal(check, SurveyError).catch((error) => { throw new Error(`${what}: ${error.message}`); });
    }
  },

  "both clients open what is registered, and nothing else": async ({ read }) => {
    const vectors = await read("registered");
    const surveys = await surveysOf(vectors);
    const { survey, head, proof } = vectors.taken[0];
    const register = new PinnedRegister(head, proof);
    const open = [
      (asked) => new Client(asked, { register }),
      (asked) => new EmbeddedClient(asked, { register, store: new MemoryStore(), interval: null }),
    ];
    for (const opened of open) {
      const client = opened(surveys[survey]);
      holds(await client.record("mode", "bus"), "there is a report");
      await client.close?.();
      const error = await refusal(() => opened(surveys[survey + 1]), SurveyError);
      holds(error.message.includes("not the one that is registered"), "it is said why");
    }
  },

  "an entry says which words it has, and a text in any other spelling says nothing": async ({ read }) => {
    const { surveys: [{ survey: toml, compiled }] } = await read("registered");
    const survey = await readSurvey(JSON.stringify(compiled));
    const { name, fingerprint, terms } = compiled;
    const lineOf = (text) => `{"entry": 0, "previous": "${"0".repeat(64)}", "day": "2026-11-24", "survey": "${name}", "fingerprint": ` +
      `"${fingerprint}", "terms": "${terms}", "worse": ["a", "b"], "accepted": "no, \\"x\\"", "toml": ${JSON.stringify(text)}}`;
    const check = (text) => new PinnedRegister(...registerOf(lineOf(text))).check(survey);
    check(toml);
    const paged = (hash) => lineOf(toml).replace(/}$/, `, "page": "${hash}"}`);
    new PinnedRegister(...registerOf(paged("0".repeat(64)))).check(survey);
    await refusal(() => new PinnedRegister(...registerOf(paged(""))).check(survey), SurveyError);
    const twoQuestions = `${toml}\n${ASKED}`;
    for (const text of [...OTHERWISE, `# a\n${toml}`, toml.replace("trip", "trap"), twoQuestions, toml.replace("[[question]]", "[question]")]) {
      await refusal(() => check(text), SurveyError);
    }
  },

  "texts of surveys are read in one spelling alone": async () => {
    const tables = tablesOf(`${HEAD}a = [\n    "x",\n    { "b" = true, "c" = -1e3 },\n]\nd = []\n"__proto__" = false\n\n${ASKED}\n${ASKED}e = {  }\n`);
    same([...tables.keys()], ["[survey]", "[[question]]"], "the headers");
    same(tables.get("[survey]").map(Object.entries), [[
      ["name", "trip"], ["a", ["x", { b: true, c: "-1e3" }]], ["d", []], ["__proto__", false],
    ]], "the first table");
    same(tables.get("[[question]]"), [{ name: "mode", text: "How?" }, { name: "mode", text: "How?", e: {} }], "the others");
    for (const text of OTHERWISE.slice(2)) await refusal(() => tablesOf(text), SurveyError);
  },

  "trees of all sizes lead from every entry to their root, and from every older root": async ({ read }) => {
    // What a log of up to 7 entries comes to is in the vectors; here that no path proves anything else.
    const { taken } = await read("registered");
    for (const { proof } of taken) {
      const [leaf, path] = [leafHash(utf8(proof.entry)), proof.path.map(bytesOf)];
      const head = { size: proof.size, root: bytesOf(proof.root) };
      for (let index = 0; index <= 8; index += 1) same(isIncluded(leaf, index, head, path), index === proof.index, `entry ${index}`);
    }
    const root = Uint8Array.of(1);
    holds(!isConsistent({ size: 2, root }, { size: 1, root }, [root]), "no log goes on to a shorter one");
    holds(!isConsistent({ size: 2, root }, { size: 2, root }, [root]), "nothing is proved by more than is needed");
  },
};

const bytesOf = (digits) => Uint8Array.from(digits.match(/../g), (pair) => parseInt(pair, 16));
