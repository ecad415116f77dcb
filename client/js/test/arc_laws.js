// The mechanism arcs: weights of frequencies to the last bit, and every report as often as it should come (src/arcs.ts).

import { squaredSines, usualWeights } from "../dist/arcs.js";
import { hex, utf8 } from "../dist/bytes.js";
import { AnswerError, Client, RandomnessError } from "../dist/index.js";
import { holds, refusal, replay, reportsOf, same, surveyOf } from "./support.js";

const COUNT = {
  name: "count", type: "integer", mechanism: "arcs", values: ["-1", "0", "1"],
  integers: { size: "3", modulus: "5", width: "1", truth: "4", other: "1", weights: [["3", "1"]] },
};
const HOURS = {
  name: "hours", type: "number", mechanism: "arcs", values: null,
  scale: { size: "100", low: "0", step: "1/2", outside: "refuse", unit: "hours", missing: [] },
  integers: { size: "100", modulus: "113", width: "30", truth: "3", other: "1", weights: [[]] },
};

const questionOf = async (changed) => {
  const values = Array.from({ length: Number(changed.size ?? 3) }, (_, value) => String(value));
  return (await surveyOf([{ ...COUNT, values, integers: { ...COUNT.integers, ...changed } }])).questions[0];
};

/** Places, width of an arc; then of the weights as the Python client has them: all, or the SHA-256 of them with commas. */
const WRITTEN = [
  [5, 1, "4294967296,0"],
  [5, 2, "4294967296,1737350766"],
  [11, 3, "4294967296,305618788,1187436909,905375239,610110314"],
  [13, 2, "4294967296,0,0,0,509194162,684189741"],
  [23, 6, "4294967296,146549466,1075813690,996149130,644313187,0,569263524,63322573,309824822,50605616,379903436"],
];
const DIGESTS = [
  [113, 30, 56, "5e40cbedb470454d86ab982f9de5c403"],
  [137, 37, 68, "4bdb1c2d566583cceb15bd152ae53608"],
  [1103, 220, 551, "028bdbe5cfe34b135b4d7204973e7550"],
  [4409, 90, 1024, "475e2b72f2cbf64b51750fd2a9291aad"],
  [4409, 2204, 1024, "240031d579d6fd5ffcbc786921e22e2c"],
  [8191, 1, 1024, "e10b613f8ec7973e4d22c4f2ec8fc249"],
  [8191, 4095, 1024, "68cbfff7af7a5d96e47690d90d0aad24"],
];
/** Of 11 places and arcs of 3: sin^2(pi m 3/11), times 2^64. */
const SQUARES = "0,10535994736614103779,18073132699249368259,5391844822243513432,1464177726234368338,15263396218359913134";

const toTheBit = async () => {
  same(squaredSines(11, 3, 5).join(), SQUARES, "the squared sines");
  for (const [modulus, arc, weights] of WRITTEN) same(usualWeights(modulus, arc).join(), weights, "the weights");
  for (const [modulus, arc, most, expected] of DIGESTS) {
    const weights = usualWeights(modulus, arc);
    const digest = await crypto.subtle.digest("SHA-256", utf8(weights.join()));
    same([weights.length, hex(new Uint8Array(digest, 0, 16))], [most, expected], `the weights of ${modulus} and ${arc}`);
  }
};

/** The same in doubles, with sines of the platform. */
const asDerived = async () => {
  for (const [modulus, arc] of [[113, 30], [137, 37], [1103, 220], [8191, 4095]]) {
    const sine = (m) => Math.sin((Math.PI * m * arc) / modulus) ** 2;
    const worth = [];
    usualWeights(modulus, arc).forEach((weight, at) => {
      const k = at + 1;
      let left = 1;
      for (let m = 2; m <= k; m += 1) if (k % m === 0) left -= (worth[k / m] * sine(m)) / (m * sine(1));
      worth[k] = Math.max(left, 0);
      holds(Math.abs(Number(weight) - (2 ** 32 * worth[k]) / k) < 2, `weight ${k} of ${modulus} and ${arc}`);
    });
  }
};

const workedOutOnce = async () => {
  const { randomizer } = await questionOf({ weights: [[]], modulus: "23", width: "6" });
  same(randomizer.law.join(), WRITTEN[4][2], "the usual weights");
  holds(randomizer.law === randomizer.law, "they are worked out once");
  same((await questionOf({})).randomizer.law.map(String), ["3", "1"], "those of the survey");
};

const asLikely = async () => {
  // Values, places, width, odds of `other`, weights; and the bounds of what is drawn, powers of two.
  const designs = [
    [3, 5, 1, 4, 1, [3, 1], [4, 8]], [3, 5, 2, 5, 2, [1, 1], [2, 16]], [4, 7, 3, 4, 1, [2, 1, 1], [4, 16]],
    [5, 7, 2, 11, 2, [5, 0, 3], [8, 32]], [3, 5, 4, 15, 4, [1], [1, 64]],
  ];
  for (const [size, modulus, width, truth, other, weights, bounds] of designs) {
    const integers = { size, modulus, width, truth, other };
    const asText = Object.fromEntries(Object.entries(integers).map(([name, number]) => [name, String(number)]));
    const { randomizer, price } = await questionOf({ ...asText, weights: [weights.map(String)] });
    const several = weights.length > 1;
    same([randomizer.width, ...price.map(Number)], [several ? 3 : 1, truth, other], "the width and the price");
    for (let value = 0; value < size; value += 1) {
      const counts = weights.map(() => new Array(modulus).fill(0));
      for (const report of reportsOf(randomizer, value, bounds)) {
        same(report.length, randomizer.width, "the width of a report");
        const cohort = several ? report[0] + 256 * report[1] : 0;
        counts[cohort][report.at(-1)] += 1;
      }
      const expected = weights.map((weight, cohort) =>
        Array.from({ length: modulus }, (_, start) => {
          // The places that the arc goes through: is the true one among them?
          const places = Array.from({ length: width }, (_, each) => (start + each) % modulus);
          return weight * (places.includes(((cohort + 1) * value) % modulus) ? truth : other);
        }),
      );
      same(counts, expected, `the counts of ${value} of ${size}`);
    }
  }
};

const wide = async () => {
  // As many frequencies as there may be; places beyond a byte, of two.
  for (const [modulus, most, bytes] of [["5", 2, 3], ["251", 125, 3], ["257", 128, 4], ["2053", 1024, 4], ["8191", 1024, 4]]) {
    const { randomizer } = await questionOf({ modulus, weights: [[]] });
    same([randomizer.law.length, randomizer.width], [most, bytes], "frequencies, and bytes of a report");
  }
  const weights = new Array(1024).fill("0").fill("1", 1023);
  const { randomizer } = await questionOf({ size: "4096", modulus: "8191", width: "8190", weights: [weights] });
  // The last value, under frequency 1024: place 1024 * 4095 mod 8191 = 7679, and the arc begins there.
  same(hex(randomizer.randomize(4095, replay(new Uint8Array(3)))), "ff03ff1d", "the report");
};

const throughClient = async ({ storage }) => {
  const survey = await surveyOf([COUNT, HOURS]);
  const tape = Uint8Array.from({ length: 64 }, (_, at) => at);
  for (const [name, answers, width] of [["hours", [0, 3.125, 49.5, 7n], 3], ["count", [-1, 0, 1n], 3]]) {
    const drawn = [];
    for (const answer of answers) {
      const random = replay(tape);
      const { row } = await new Client(survey, { storage: storage(), random }).record(name, answer);
      same(row.length, width, "the width");
      drawn.push(random.used);
    }
    same(new Set(drawn).size, 1, "different numbers of bytes drawn");
  }
  const short = replay(tape.slice(0, 8));
  await refusal(() => new Client(survey, { storage: storage(), random: short }).record("hours", 3), RandomnessError);
  for (const [name, answer] of [["hours", 50], ["count", 2]]) {
    await refusal(() => new Client(survey, { storage: storage() }).record(name, answer), AnswerError);
  }
};

export const ARC_LAWS = {
  "the usual weights of frequencies are those of every other client, to the last bit": toTheBit,
  "they are what the formula says": asDerived,
  "they are worked out once, and only where the survey has none": workedOutOnce,
  "an arc comes of as many draws as its frequency and the true place give it": asLikely,
  "there are frequencies for half the places, up to 1024": wide,
  "arcs go through a client, and draw as many bytes whatever the answer": throughClient,
};
