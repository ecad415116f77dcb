// All laws, for Node: with memory for a storage, and those of a client once more with a browser's.

import { readFile } from "node:fs/promises";

import { MemoryStorage, MemoryStore } from "../dist/index.js";
import { ARC_LAWS } from "./arc_laws.js";
import { browserStorage } from "./browser_stubs.js";
import { CLIENT_LAWS } from "./client_laws.js";
import { CODEBOOK_LAWS } from "./codebook_laws.js";
import { DELIVERY_LAWS } from "./delivery_laws.js";
import { DRAW_LAWS } from "./draw_laws.js";
import { EMBEDDED_LAWS } from "./embedded_laws.js";
import { FIELD_LAWS } from "./field_laws.js";
import { KEPT_LAWS } from "./kept_laws.js";
import { NUMBER_LAWS } from "./number_laws.js";
import { ONCE_LAWS } from "./once_laws.js";
import { REGISTER_LAWS } from "./register_laws.js";
import { ROLLBACK_LAWS } from "./rollback_laws.js";
import { STORE_LAWS } from "./store_laws.js";
import { SURVEY_LAWS } from "./survey_laws.js";
import { VECTOR_LAWS } from "./vector_laws.js";

const VECTORS = new URL("../../../tests/vectors/", import.meta.url);

const read = async (name) => JSON.parse(await readFile(new URL(`${name}.json`, VECTORS), "ascii"));

const inMemory = { read, storage: () => new MemoryStorage(), store: () => new MemoryStore() };
const inBrowser = { read, storage: browserStorage };

const STORED = [
  "a question whose budget one report spends is answered once, by whatever client",
  "of twenty answers at once, one is reported",
];
/** Takes longer than all others together. */
const LONGEST = "a compiled survey that was altered anywhere but in what people read is refused";

const laws = {
  ...VECTOR_LAWS, ...CLIENT_LAWS, ...SURVEY_LAWS, ...NUMBER_LAWS, ...CODEBOOK_LAWS, ...ARC_LAWS, ...ONCE_LAWS, ...FIELD_LAWS,
  ...DRAW_LAWS, ...KEPT_LAWS, ...STORE_LAWS, ...EMBEDDED_LAWS, ...DELIVERY_LAWS, ...REGISTER_LAWS, ...ROLLBACK_LAWS,
};
const { [LONGEST]: longest, ...others } = laws;

export const NODE_LAWS = [
  ...Object.entries(others).map(([sentence, law]) => [sentence, () => law(inMemory)]),
  ...STORED.map((sentence) => [`with a browser's storage, ${sentence}`, () => CLIENT_LAWS[sentence](inBrowser)]),
  [LONGEST, () => longest(inMemory)],
];
