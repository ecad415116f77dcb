// The laws, in Node.

import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { MemoryStorage } from "../dist/index.js";
import { CLIENT_LAWS } from "./client_laws.js";
import { VECTOR_LAWS } from "./vector_laws.js";

const VECTORS = new URL("../../../tests/vectors/", import.meta.url);

const here = {
  read: async (name) => JSON.parse(await readFile(new URL(`${name}.json`, VECTORS), "ascii")),
  storage: () => new MemoryStorage(),
};

for (const [sentence, law] of Object.entries({ ...VECTOR_LAWS, ...CLIENT_LAWS })) test(sentence, () => law(here));
