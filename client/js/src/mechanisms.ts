/**
 * All mechanisms, row by row: a program holds those of its surveys only, if it names them. `MECHANISMS` has them all.
 *
 * Nothing here is done when the module is loaded, so that a bundler can leave out what is not named.
 */

import { AdditiveNoise } from "./additive.js";
import { Arcs } from "./arcs.js";
import { BitFlip } from "./bitflip.js";
import { CodebookResponse } from "./codebook.js";
import { DitheredResponse } from "./dithered.js";
import { RandomizedResponse } from "./grr.js";
import { HadamardResponse } from "./hadamard.js";
import { HeavyHitters } from "./heavyhitters.js";
import { NoisyHistogram } from "./histogram.js";
import { LocalHashing } from "./localhashing.js";
import { BitChain, SymbolChain } from "./longitudinal.js";
import { StochasticMatrix } from "./matrix.js";
import type { Mechanism, Numbers } from "./mechanism.js";
import { OneBitMean } from "./onebit.js";
import { PaddedResponse } from "./pad.js";
import { ProjectiveResponse } from "./projective.js";
import type { Randomizer } from "./randomizer.js";
import { Rappor } from "./rappor.js";
import { SetEncoding } from "./setunary.js";
import { CountMean, HadamardCountMean, type Hashes } from "./sketches.js";
import { Stripes } from "./stripes.js";
import { SubsetSelection } from "./subset.js";
import { SubsetsResponse } from "./subsets.js";
import { TaxonomyResponse } from "./taxonomy.js";
import { TreeResponse, grids } from "./tree.js";
import { UnaryEncoding } from "./unary.js";
import { SquareWave } from "./wave.js";

const matrixOf = (numbers: Numbers): Randomizer => new StochasticMatrix(numbers.matrix("weights"));
const bitsOf = ({ whole, size, word }: Numbers): UnaryEncoding =>
  new UnaryEncoding(size("size"), whole("if_true"), whole("if_other"), word);
const symbolsOf = ({ whole, size }: Numbers, values = size("size")): RandomizedResponse =>
  new RandomizedResponse(values, whole("truth"), whole("other"));
const subsetOf = ({ whole, size }: Numbers, values = size("size")): SubsetSelection =>
  new SubsetSelection(values, size("chosen"), whole("truth"), whole("other"));
const pointsOf = ({ whole, size }: Numbers, values = size("size")): ProjectiveResponse =>
  new ProjectiveResponse(values, whole("order"), whole("dimension"), whole("truth"), whole("other"));
const halvesOf = ({ whole, size }: Numbers, values = size("size")): HadamardResponse =>
  new HadamardResponse(values, size("blocks"), size("symbols"), whole("truth"), whole("other"));
const hashingOf = ({ whole, size }: Numbers): LocalHashing =>
  new LocalHashing(size("size"), size("buckets"), whole("truth"), whole("other"), whole("modulus"));
const noiseOf = ({ whole, size }: Numbers): Randomizer =>
  new AdditiveNoise(size("size"), size("margin"), whole("near"), whole("far"), whole("least"));
const hashesOf = ({ whole, size }: Numbers): Hashes => ({
  cohorts: size("cohorts"), buckets: size("buckets"), seed: whole("hash_seed"),
});
const bitChainOf = (numbers: Numbers): Randomizer =>
  new BitChain(bitsOf(numbers), numbers.whole("fresh_truth"), numbers.whole("fresh_other"));
/** With one dummy, as all but `pad-grr` have. */
const paddedOf = (oracle: (numbers: Numbers, values: number) => Randomizer) => (numbers: Numbers): Randomizer =>
  new PaddedResponse(numbers.size("size"), numbers.size("most"), oracle(numbers, numbers.size("size") + 1));

export const warner: Mechanism = ["warner", matrixOf];
export const forced: Mechanism = ["forced", matrixOf];
export const unrelated: Mechanism = ["unrelated", matrixOf];
export const matrix: Mechanism = ["matrix", matrixOf];
export const metric: Mechanism = ["metric", matrixOf];
export const exponential: Mechanism = ["exponential", matrixOf];
export const geometric: Mechanism = ["geometric", noiseOf];
export const laplace: Mechanism = ["laplace", noiseOf];
export const oneBit: Mechanism = ["one-bit", ({ whole, size }) =>
  new OneBitMean(size("size"), whole("truth"), whole("other"))];
export const dithered: Mechanism = ["dithered", ({ whole, size }) =>
  new DitheredResponse(Number(whole("size")), size("grid"), size("levels"), whole("truth"), whole("other"))];
export const arcs: Mechanism = ["arcs", ({ whole, size, row }) =>
  new Arcs(size("size"), size("modulus"), size("width"), whole("truth"), whole("other"), row("weights"))];
export const squareWave: Mechanism = ["square-wave", ({ whole, size }) =>
  new SquareWave(size("size"), size("width"), whole("truth"), whole("other"))];
export const codebook: Mechanism = ["codebook", ({ whole, size, word }) =>
  new CodebookResponse(size("dimensions"), size("words"), size("near"), whole("truth"), whole("other"), word)];
export const grr: Mechanism = ["grr", (numbers) => symbolsOf(numbers)];
export const ss: Mechanism = ["ss", (numbers) => subsetOf(numbers)];
export const pgr: Mechanism = ["pgr", (numbers) => pointsOf(numbers)];
export const sue: Mechanism = ["sue", bitsOf];
export const oue: Mechanism = ["oue", bitsOf];
export const the: Mechanism = ["the", bitsOf];
export const she: Mechanism = ["she", ({ whole, size, word }) =>
  new NoisyHistogram(size("size"), size("levels"), whole("flip"), word)];
export const hr: Mechanism = ["hr", (numbers) => halvesOf(numbers)];
export const olh: Mechanism = ["olh", hashingOf];
export const blh: Mechanism = ["blh", hashingOf];
export const cms: Mechanism = ["cms", (numbers) => {
  const { whole, size, word } = numbers;
  return new CountMean(size("size"), hashesOf(numbers), whole("if_true"), whole("if_other"), word);
}];
export const hcms: Mechanism = ["hcms", (numbers) =>
  new HadamardCountMean(numbers.size("size"), hashesOf(numbers), numbers.whole("truth"), numbers.whole("other"))];
export const rappor: Mechanism = ["rappor", ({ whole, size, word }) =>
  new Rappor({
    bits: size("bits"),
    hashes: size("hashes"),
    cohorts: size("cohorts"),
    flip: whole("flip"),
    ifOne: whole("if_one"),
    ifZero: whole("if_zero"),
    word,
  })];
export const lGrr: Mechanism = ["l-grr", (numbers) =>
  new SymbolChain(symbolsOf(numbers), numbers.whole("fresh_truth"), numbers.whole("fresh_other"))];
export const lSue: Mechanism = ["l-sue", bitChainOf];
export const lOsue: Mechanism = ["l-osue", bitChainOf];
export const loloha: Mechanism = ["loloha", (numbers) =>
  new SymbolChain(hashingOf(numbers), numbers.whole("fresh_truth"), numbers.whole("fresh_other"))];
export const dbitflip: Mechanism = ["dbitflip", ({ whole, size, word }) =>
  new BitFlip(size("size"), size("sampled"), whole("flip"), word)];
export const taxonomy: Mechanism = ["taxonomy", ({ whole, size, row, matrix, place }) =>
  new TaxonomyResponse(
    size("size"), row("parents").map(Number), row("law"), matrix("spaces"), whole("truth"), whole("other"), place,
  )];
export const tree: Mechanism = ["tree", ({ whole, size, row, matrix, place }) =>
  new TreeResponse(size("size"), row("law"), matrix("spaces"), whole("truth"), whole("other"), place)];
export const pyramid: Mechanism = ["pyramid", ({ whole, size, row, matrix, place }) =>
  new TreeResponse(
    size("size"), row("law"), matrix("spaces"), whole("truth"), whole("other"), place, grids(size("size"), place),
  )];
export const stripes: Mechanism = ["stripes", ({ whole, size, row }) =>
  new Stripes(size("size"), size("modulus"), size("width"), whole("truth"), whole("other"), row("law"))];
export const subsets: Mechanism = ["subsets", ({ whole, size, row, matrix, place }) =>
  new SubsetsResponse(
    row("sizes").map(Number), size("together"), matrix("spaces"), whole("truth"), whole("other"), place,
  )];
export const heavyHitters: Mechanism = ["heavy-hitters", (numbers) =>
  new HeavyHitters(
    pointsOf(numbers, numbers.size("cells")), numbers.row("lengths").map(Number), numbers.size("held_out"),
    numbers.whole("hash_seed"),
  )];
export const setUnary: Mechanism = ["set-unary", ({ whole, size, word }) =>
  new SetEncoding(size("size"), size("most"), whole("if_true"), whole("if_other"), word)];
export const padGrr: Mechanism = ["pad-grr", (numbers) => {
  const [size, most] = [numbers.size("size"), numbers.size("most")];
  return new PaddedResponse(size, most, symbolsOf(numbers, size + most));
}];
export const padSs: Mechanism = ["pad-ss", (numbers) => paddedOf(subsetOf)(numbers)];
export const padPgr: Mechanism = ["pad-pgr", (numbers) => paddedOf(pointsOf)(numbers)];
export const padHr: Mechanism = ["pad-hr", (numbers) => paddedOf(halvesOf)(numbers)];

export const MECHANISMS: readonly Mechanism[] = [
  warner, forced, unrelated, matrix, metric, exponential, geometric, laplace, oneBit, dithered, arcs, squareWave, codebook, grr,
  ss, pgr, sue, oue, the, she, hr, olh, blh, cms, hcms, rappor, lGrr, lSue, lOsue, loloha, dbitflip, taxonomy, tree,
  pyramid, stripes, subsets, heavyHitters, setUnary, padGrr, padSs, padPgr, padHr,
];
