// The laws of embedded clients, in Node, with a store as apps bring it, and with SQLite where there is one.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { SQLiteStore, StateError } from "../dist/index.js";
import { DELIVERY_LAWS } from "./delivery_laws.js";
import { EMBEDDED_LAWS } from "./embedded_laws.js";
import { FileStore } from "./file_store.js";
import { STORE_LAWS } from "./store_laws.js";
import { refusal } from "./support.js";

const folder = mkdtempSync(join(tmpdir(), "ldpkit-"));
after(() => rmSync(folder, { recursive: true }));

let number = 0;
const path = () => join(folder, String((number += 1)));
const HAS_SQLITE = process.getBuiltinModule?.("node:sqlite") !== undefined;

const STORES = {
  "a store of the app's": () => new FileStore(path()),
  ...(HAS_SQLITE && { SQLite: () => new SQLiteStore(path()) }),
};

for (const [name, store] of Object.entries(STORES)) {
  for (const [sentence, law] of Object.entries({ ...EMBEDDED_LAWS, ...DELIVERY_LAWS, ...STORE_LAWS })) {
    test(`with ${name}, ${sentence}`, () => law({ store }));
  }
}

test("where Node has no SQLite, that is said", { skip: HAS_SQLITE }, async () => {
  await refusal(async () => new SQLiteStore(path()), StateError);
});
