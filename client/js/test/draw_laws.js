// What is drawn and counted exactly: uniform integers, bits at their thresholds, prices, bounds (src/randomness.ts, src/ratio.ts).

import { concat, fromHex, hex, toBytes } from "../dist/bytes.js";
import { difference, inverse, multiple } from "../dist/field.js";
import { RandomnessError, batches, encodeBatch, encodeFrame, reportBytes } from "../dist/index.js";
import { drawBits, randbelow, shuffled } from "../dist/randomness.js";
import { bound, product, read, roundedUp, within } from "../dist/ratio.js";
import { holds, refusal, replay, same, surveyOf } from "./support.js";

const VALUES = ["a", "b"];
const ASKED = { name: "asked", type: "category", values: VALUES };

/** How often each integer comes of all tapes of a byte; a tape that is rejected counts for none. */
function frequencies(limit) {
  const counts = new Array(limit).fill(0);
  for (let tape = 0; tape < 256; tape += 1) {
    try {
      counts[Number(randbelow(BigInt(limit), replay(Uint8Array.of(tape))))] += 1;
    } catch (error) {
      if (!(error instanceof RandomnessError)) throw error;
    }
  }
  return counts;
}

const uniform = async () => {
  for (const limit of [1, 2, 3, 5, 7, 10, 16, 85, 100, 127, 128, 129, 200, 254, 255]) {
    same(frequencies(limit), new Array(limit).fill(Math.floor(256 / limit)), `the counts below ${limit}`);
  }
  const wide = [[0, 1], [254, 254], [255, 254]].map((tape) => Number(randbelow(257n, replay(Uint8Array.from(tape)))));
  same(wide, [256, 0, 1], "integers below 257");
  await refusal(async () => randbelow(257n, replay(Uint8Array.of(255, 255))), RandomnessError);
  const again = replay(Uint8Array.of(255, 255, 4));
  same([randbelow(3n, again), again.used].map(Number), [1, 3], "what follows rejected bytes");
};

const weighed = async () => {
  // All weights of a row add up to 8, so that each draw has as many tapes of a byte.
  const designs = [
    ["grr", { size: "2", truth: "6", other: "2" }, [64, 192]],
    ["grr", { size: "3", truth: "6", other: "1" }, [32, 32, 192]],
    ["matrix", { weights: [["5", "3"], ["3", "5"]] }, [96, 160]],
    ["pgr", { size: "3", order: "2", dimension: "2", truth: "6", other: "1" }, [32, 32, 192]],
    ["pgr", { size: "4", order: "3", dimension: "2", truth: "5", other: "1" }, [32, 32, 32, 160]],
  ];
  for (const [mechanism, integers, expected] of designs) {
    const values = ["a", "b", "c", "d"].slice(0, Number(integers.size ?? 2));
    const [{ randomizer }] = (await surveyOf([{ ...ASKED, values, mechanism, integers }])).questions;
    const modes = values.map((_, value) => {
      const counts = new Array(expected.length).fill(0);
      for (let tape = 0; tape < 256; tape += 1) counts[randomizer.randomize(value, replay(Uint8Array.of(tape)))[0]] += 1;
      same([...counts].sort((left, right) => left - right), expected, `the counts of ${mechanism}`);
      return counts.indexOf(Math.max(...counts));
    });
    same(new Set(modes).size, values.length, "the number of likeliest reports");
    if (mechanism !== "pgr") same(modes, [...values.keys()], "the likeliest reports");
  }
};

const invertible = async () => {
  for (const order of [4n, 8n, 16n, 7n, 11n]) {
    for (let element = 1n; element < order; element += 1n) {
      same(multiple(element, inverse(element, order), order) === 1n, true, `${element} over itself, of ${order}`);
      same(difference(element, element, order) === 0n, true, `${element} less itself`);
    }
    same(Number(difference(2n, 3n, order)), [4n, 8n, 16n].includes(order) ? 1 : Number(order) - 1, "2 less 3");
  }
};

const shuffledOnce = async () => {
  for (const [size, bytes] of [[0, 0], [1, 0], [2, 1], [4, 3]]) {
    const source = replay(new Uint8Array(bytes));
    same(shuffled(Array.from({ length: size }, (_, each) => each), source).sort(), [...Array(size).keys()], "what is left");
    same(source.used, bytes, "the number of bytes");
  }
};

const atThreshold = async () => {
  // One position of 64 bits: four planes of a byte, then a reserve of eight bytes for what is still tied.
  const threshold = 0x9123456789abcdefn;
  const top = [1, 0, 0, 1];
  for (const [low, bit] of [[0x123456789abcdeen, 1n], [0x123456789abcdefn, 0n], [0x123456789abcdf0n, 0n]]) {
    for (const [chosen, ifChosen, ifOther] of [[1n, threshold, 0n], [0n, 0n, threshold]]) {
      const tape = Uint8Array.of(...top, ...toBytes(low, 8), ...new Uint8Array(120));
      same(drawBits(chosen, 1, ifChosen, ifOther, replay(tape), 64) === bit, true, `the bit of ${low}`);
    }
  }
  // Twenty positions that stay tied need more than a reserve of sixteen.
  const size = 20;
  const planes = 8;
  const tied = new Uint8Array(3 * planes);
  const reserve = Uint8Array.from({ length: 7 * 16 }, (_, at) => (at % 7 ? 0 : 1));
  const tape = Uint8Array.from([...tied, ...reserve, ...reserve]);
  const source = replay(tape);
  same(drawBits(0n, size, 0n, 2n, source, 64) === (1n << BigInt(size)) - 1n, true, "all bits");
  same(source.used, tape.length, "the number of bytes");
  // A word that the planes exhaust: what is tied at its end is no 1.
  const short = replay(Uint8Array.of(1, 0));
  same([drawBits(1n, 1, 2n, 0n, short, 2) === 0n, short.used], [true, 2], "the bit of a short word");
};

const priced = async () => {
  const rappor = { bits: "2", hashes: "0", cohorts: "1", word: "2", flip: "1", if_one: "3", if_zero: "1" };
  const text = { type: "text", values: null };
  const prices = [
    ["grr", { size: "2", truth: "5", other: "2" }, "5/2"],
    ["matrix", { weights: [["3", "1"], ["2", "2"]] }, "2/1"],
    ["matrix", { weights: [["1", "3"], ["2", "2"]] }, "2/1"],
    ["matrix", { weights: [["1", "9"], ["3", "7"]] }, "3/1"],
    ["oue", { size: "2", if_true: "3", if_other: "1", word: "2" }, "9/1"],
    ["oue", { size: "2", if_true: "5", if_other: "2", word: "3" }, "5/1"],
    ["pgr", { size: "2", order: "2", dimension: "2", truth: "7", other: "3" }, "7/3"],
    ["rappor", rappor, "9/1"],
    ["rappor", { ...rappor, hashes: "1" }, "9/1", text],
    ["rappor", { ...rappor, hashes: "2" }, "81/1", text],
    ["rappor", { ...rappor, flip: "0" }, "9/1"],
    ["rappor", { ...rappor, flip: "0", if_one: "1", if_zero: "3" }, "9/1"],
    ["rappor", { ...rappor, flip: "0", hashes: "3", if_zero: "2" }, "27/1", text],
  ];
  for (const [mechanism, integers, price, more] of prices) {
    const [{ price: [top, bottom] }] = (await surveyOf([{ ...ASKED, mechanism, integers, ...more }])).questions;
    const [above, below] = price.split("/").map(BigInt);
    same(top * below === bottom * above, true, `whether ${mechanism} costs ${price}`);
  }
  for (const [ifZero, top, bottom] of [["1", 25n, 9n], ["2", 77n, 45n]]) {
    const asked = { ...ASKED, mechanism: "rappor", integers: { ...rappor, if_zero: ifZero } };
    const [{ randomizer: { ratio } }] = (await surveyOf([asked])).questions;
    same(ratio[0] * bottom === top * ratio[1], true, "one report of a memoized one");
  }
};

const exact = async () => {
  const digits = ([top, bottom]) => String((top * 10n ** 40n) / bottom);
  same(digits(bound("1")), "27182818284590452353602874713526624977572", "e");
  same(digits(bound("0.5")), "16487212707001281468486507878141635716537", "its root");
  same(digits(bound("1/2")), digits(bound("0.50")), "the same as a ratio");
  same(digits(bound("12/8")), digits(bound("1.5")), "another");
  same(digits(bound("12/10")), digits(bound("1.2")), "one of two digits");
  same(digits(bound("0")), `1${"0".repeat(40)}`, "e to the 0");
  same(bound("1000").map(String), bound("7000").map(String), "what is beyond 1000");
  same(within(bound("1000"), bound("999.99")), false, "whether 1000 is less");
  for (const text of ["", "1.", ".5", "1/0", "-1", "1e3", "1/2/3", "x1", "1x", "1/x", "1.2/3", "1".repeat(41)]) {
    await refusal(async () => bound(text), RangeError);
  }
  same(roundedUp([1n, 3n]).map(String), ["6148914691236517206", String(2n ** 64n)], "a third, rounded up");
  same(roundedUp([4n, 2n]).map(String), [String(2n ** 65n), String(2n ** 64n)], "two");
  same([read("3"), read("3/2")].flat().map(String), ["3", "1", "3", "2"], "ratios that were read");
  same(product([[2n, 3n], [5n, 7n]]).map(String), ["10", "21"], "the product");
  same([within([1n, 2n], [2n, 4n]), within([1n, 2n], [1n, 3n]), within([1n, 3n], [1n, 2n])], [true, false, true], "order");
};

const fitting = async () => {
  const rows = (count, width) => Array.from({ length: count }, () => (
    { fingerprint: new Uint8Array(16), row: new Uint8Array(width), epoch: undefined }
  ));
  const sizes = (reports, size) => batches(reports, size).map((batch) => batch.size);
  same(sizes(rows(5, 1), 0), [1, 1, 1, 1, 1], "batches of none");
  same(sizes(rows(5, 1), 5), [5], "one batch");
  same(sizes(rows(3, 2 ** 23), 9), [1, 1, 1], "batches of large rows");
  same(sizes(rows(1001, 1)), [1000, 1], "batches of the usual size");
  same(sizes([], 5), [], "batches of nothing");
  reportBytes(rows(4096, 4096), 5000);
  const zeros = (size) => new Uint8Array(size);
  const frames = batches(rows(3, 2), 2, zeros).map((batch) => encodeFrame(encodeBatch(batch)));
  same(hex(reportBytes(rows(3, 2), 2, zeros)), hex(concat(frames)), "the bytes of an upload");
  const whole = { fingerprint: new Uint8Array(16), id: new Uint8Array(16), size: 2, rows: new Uint8Array(4) };
  same(encodeBatch(whole).length, 45, "the size of a batch");
  same([fromHex("").length, encodeBatch({ ...whole, size: 1, rows: new Uint8Array(2 ** 24 - 44) }).length], [0, 2 ** 24]);
  for (const bad of [{ size: 1, rows: new Uint8Array(2 ** 24 - 43) }, { size: 1.5 }, { size: 3 }, { size: 0 }, { rows: [1, 2] }, { rows: fromHex("") }, { id: "x".repeat(16) }]) {
    await refusal(async () => encodeBatch({ ...whole, ...bad }), RangeError);
  }
};

export const DRAW_LAWS = {
  "integers below a bound are exactly as likely": uniform,
  "a report comes of as many draws as it has weight": weighed,
  "in every field an element has its inverse": invertible,
  "a shuffle keeps everything, and draws for all places but the first": shuffledOnce,
  "a bit is 1 below its threshold, to the last bit of it": atThreshold,
  "a price is the exact ratio of the integers": priced,
  "an epsilon's bound is e to its power, from below": exact,
  "batches are as large as the wire carries, and no larger than asked for": fitting,
};
