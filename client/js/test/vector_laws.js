// What docs/wire.md says, held against the vectors in tests/vectors.

import { decode } from "@msgpack/msgpack";

import { combinationOf } from "../dist/attributes.js";
import { bloomPositions } from "../dist/bloom.js";
import { fromHex, hex, utf8 } from "../dist/bytes.js";
import { drawn } from "../dist/draws.js";
import { batchId } from "../dist/epochs.js";
import { questionFingerprint } from "../dist/fingerprint.js";
import { AnswerError, Client, SurveyError, encodeBatch, encodeFrame, readSurvey } from "../dist/index.js";
import { MECHANISMS } from "../dist/mechanisms.js";
import { readKey, sealed } from "../dist/relay.js";
import { alterations, questionOf, refusal, replay, same } from "./support.js";

const REPLAYED = [...MECHANISMS.map(([name]) => name), "contributions", "tables", "maps", "key-values"];

const ENCODER_REFUSES = [
  "text for the fingerprint",
  "a fingerprint of 15 bytes",
  "an id of 17 bytes",
  "no reports",
  "a negative count",
  "too many reports",
  "an array for the rows",
  "no rows",
  "two rows for three",
];

const base64 = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** A key of the curve P-256, by its numbers. */
function onP256(numbers, uses) {
  const key = { kty: "EC", crv: "P-256", ...numbers };
  return crypto.subtle.importKey("jwk", key, { name: "ECDH", namedCurve: "P-256" }, true, uses);
}

/** The survey that the questions of all vectors are of. */
const VECTORS = { name: "vectors", epoch: undefined };

/** The answers that a vector's value stands for; a number is written as a decimal text. */
function answersOf({ type, fields }, value) {
  if (fields) {
    // As many ways as the field with the most of them; what has fewer stays at its last.
    const ways = fields.map((field) => [field.name, answersOf(field, value[field.name])]);
    const most = Math.max(...ways.map(([, written]) => written.length));
    const byName = Array.from({ length: most }, (_, number) =>
      Object.fromEntries(ways.map(([name, written]) => [name, written[Math.min(number, written.length - 1)]])));
    // A place may be a pair.
    return type === "place" ? [...byName, fields.map(({ name }) => byName[0][name])] : byName;
  }
  if (type === "key-value") {
    const pairs = Object.entries(value).map(([key, number]) => [key, Number(number)]);
    return [Object.fromEntries(pairs), new Map(pairs.reverse())];
  }
  if (type === "multi") return [value, new Set([...value].reverse())];
  if (type === "vector") return [value.map(Number), Float64Array.from(value, Number)];
  if (Array.isArray(value)) return [value.map((record) => answersOf({ type }, record)[0])];
  if (type === "integer") return [value, BigInt(value)];
  if (type !== "number") return [value];
  return /^-?[0-9]+$/.test(value) ? [Number(value), BigInt(value)] : [Number(value)];
}

const replayed = (mechanism) => async ({ read }) => {
  for (const vector of await read(mechanism)) {
    const { compiled, question } = questionOf(vector);
    same(question.answerable, true, "whether it can be answered");
    same(await questionFingerprint(compiled, VECTORS), vector.fingerprint, "the fingerprint");
    same(question.randomizer.width, vector.layout.width, "the width");
    for (const { value, tape, report, used } of vector.cases) {
      for (const answer of answersOf(compiled, value)) {
        const random = replay(fromHex(tape));
        same(hex(question.randomizer.randomize(question.value(answer, random), random)), report, "the report");
        same(random.used, used, "the number of bytes drawn");
      }
    }
  }
};

export const VECTOR_LAWS = {
  ...Object.fromEntries(
    REPLAYED.map((name) => [`fingerprint and reports of ${name} follow from integers and tape`, replayed(name)]),
  ),

  "cohort, true bits, permanent response and report of rappor are each what the vector says": async ({ read }) => {
    for (const vector of await read("rappor")) {
      const { question } = questionOf(vector);
      const { randomizer } = question;
      for (const wanted of vector.cases) {
        const random = replay(fromHex(wanted.tape));
        const ends = [0];
        const cohort = randomizer.drawCohort(random);
        ends.push(random.used);
        const bits = randomizer.trueBits(question.value(wanted.value), cohort);
        const positions = [...bits.toString(2)].reverse().flatMap((bit, position) => (bit === "1" ? [position] : []));
        const permanent = randomizer.permanent(question.value(wanted.value), cohort, random);
        ends.push(random.used);
        const report = randomizer.instantaneous(permanent, cohort, random);
        ends.push(random.used);
        same([cohort, positions, hex(permanent), hex(report)],
          [wanted.cohort, wanted.true_positions, wanted.permanent, wanted.report], "the stages");
        same(ends.slice(1).map((end, stage) => end - ends[stage]), wanted.used_by_stage, "the bytes drawn");
      }
    }
  },

  "Bloom positions follow from text, cohort, number of hashes and of bits": async ({ read }) => {
    for (const { text, cohort, hashes, bits, positions } of await read("hashing")) {
      same(bloomPositions(utf8(text), cohort, hashes, bits), positions, "the positions");
    }
  },

  "which questions of a draw are answered follows from the weights and the tape": async ({ read }) => {
    for (const { compiled, draw, cases } of await read("draws")) {
      const survey = await readSurvey(JSON.stringify(compiled), { terms: compiled.terms });
      const { names: questions, weights, answers } = draw;
      same(survey.question(questions[0]).draw, { questions, weights, answers }, "the draw");
      for (const { name, names, tape } of cases) {
        const source = replay(fromHex(tape));
        same(drawn({ questions, weights, answers }, source), names ?? [name], "the questions");
        same(source.used, tape.length / 2, "the bytes drawn");
      }
      for (const altered of alterations(compiled)) {
        await refusal(() => readSurvey(JSON.stringify(altered)), SurveyError);
      }
    }
  },

  "what is said openly of a device is one number, and stands at the end of a batch": async ({ read }) => {
    const { compiled, cases } = await read("attributes");
    const survey = await readSurvey(JSON.stringify(compiled), { terms: compiled.terms });
    for (const { said, questions, combination, batch, ...parts } of cases) {
      for (const question of questions) same(combinationOf(survey.attributes, question, said), combination, "the combination");
      const [fingerprint, id, rows] = [parts.fingerprint, parts.id, parts.rows].map(fromHex);
      same(hex(encodeBatch({ fingerprint, id, size: 1, rows, combination })), batch, "the batch");
    }
    for (const altered of alterations(compiled)) {
      await refusal(() => readSurvey(JSON.stringify(altered)), SurveyError);
    }
    for (const wrong of [{ planet: "mars" }, { platform: "web" }, { platform: "unknown" }, { platform: "" }]) {
      await refusal(() => new Client(survey, { attributes: wrong }), AnswerError);
    }
  },

  "an id follows from the length of the epochs, the time and the tape": async ({ read }) => {
    for (const { length, seconds, tape, id } of await read("epochs")) {
      const source = replay(fromHex(tape));
      same(hex(batchId(source, length ?? undefined, seconds)), id, "the id");
      same(source.used, tape.length / 2, "the bytes drawn");
    }
  },

  "a batch and its frame have the vector's bytes": async ({ read }) => {
    for (const { fingerprint, id, rows, count, batch, frame } of (await read("wire")).batches) {
      const [named, under, held] = [fingerprint, id, rows].map(fromHex);
      const encoded = encodeBatch({ fingerprint: named, id: under, size: count, rows: held });
      same(hex(encoded), batch, "the batch");
      same(hex(encodeFrame(encoded)), frame, "the frame");
    }
  },

  "no bad batch that an encoder could be asked for is encoded": async ({ read }) => {
    const { cases } = await read("bad");
    for (const what of ENCODER_REFUSES) {
      const payload = fromHex(cases.find((each) => each.what === what).file).subarray(16);
      const [, fingerprint, id, size, rows] = decode(payload);
      await refusal(async () => encodeBatch({ fingerprint, id, size, rows }), RangeError);
    }
  },

  "reports are sealed for a collector to the byte": async ({ read }) => {
    const { public_key: key, cases } = await read("sealed");
    for (const { fingerprint, id, row, epoch_length: length, ephemeral, envelope, frame } of cases) {
      const [x, y, d] = [envelope.slice(2, 66), envelope.slice(66, 130), ephemeral].map((digits) => base64(fromHex(digits)));
      const plain = encodeFrame(encodeBatch({ fingerprint: fromHex(fingerprint), id: fromHex(id), size: 1, rows: fromHex(row) }));
      const own = {
        privateKey: await onP256({ x, y, d }, ["deriveBits"]),
        publicKey: await onP256({ x, y }, []),
      };
      same(hex(await sealed(plain, length ?? undefined, readKey(key), own)), frame, "the frame");
    }
    same(cases.length > 2, true, "whether there are vectors");
  },

  "a batch has at most 2^20 reports and 2^24 bytes": async () => {
    const [fingerprint, id] = [new Uint8Array(16), new Uint8Array(16)];
    const encoded = (size, width) => encodeBatch({ fingerprint, id, size, rows: new Uint8Array(size * width) });
    encoded(2 ** 20, 15);
    for (const [size, width] of [[2 ** 20 + 1, 1], [2 ** 20, 16], [1, 2 ** 24]]) {
      await refusal(async () => encoded(size, width), RangeError);
    }
  },

  "a compiled survey is read, whatever its mechanisms": async ({ read }) => {
    for (const { compiled } of await read("compiled")) {
      const survey = await readSurvey(JSON.stringify(compiled), { terms: compiled.terms });
      same(survey.questions.map((question) => question.name), compiled.questions.map((question) => question.name));
      same(survey.epoch, compiled.epoch, "the length of the epochs");
    }
  },

  "a compiled survey that was altered anywhere but in what people read is refused": async ({ read }) => {
    for (const { compiled } of await read("compiled")) {
      for (const altered of alterations(compiled)) {
        await refusal(() => readSurvey(JSON.stringify(altered)), SurveyError);
      }
      await refusal(() => readSurvey(JSON.stringify(compiled), { terms: "00".repeat(16) }), SurveyError);
      await refusal(() => readSurvey(JSON.stringify(compiled).slice(1)), SurveyError);
    }
  },
};
