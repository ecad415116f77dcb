// What every store keeps (src/store.ts), and the hash under which it does (src/sha256.ts).

import { concat, hex } from "../dist/bytes.js";
import { StateError, system } from "../dist/index.js";
import { sha256 } from "../dist/sha256.js";
import { transact } from "../dist/store.js";
import { holds, refusal, same } from "./support.js";

const put = (store, entries) => transact(store, [""], (records) => {
  for (const [key, entry] of Object.entries(entries)) records.put(key, entry);
});

const read = (store, prefixes = [""]) => transact(store, prefixes, (records) => records.range(""));

const whole = async ({ store }) => {
  const kept = await store();
  await put(kept, { "a/1": [1, "x", null], "a/2": [2], "b/1": [3] });
  same(await read(kept, ["a/"]), [["a/1", [1, "x", null]], ["a/2", [2]]], "what a transaction reads");
  same(await read(kept, ["b/", "a/1"]), [["a/1", [1, "x", null]], ["b/1", [3]]], "what it reads of two prefixes");
  await transact(kept, ["a/"], (records) => {
    records.delete("a/1");
    records.put("a/3", [4]);
    records.put("a/4", [5]);
    records.delete("a/4");
    same(records.keys("a/"), ["a/2", "a/3"], "what it sees of its own changes");
  });
  same((await read(kept)).map(([key]) => key), ["a/2", "a/3", "b/1"], "what is left");
};

const undone = async ({ store }) => {
  const kept = await store();
  await put(kept, { "a/1": [1] });
  const failing = transact(kept, [""], (records) => {
    records.put("a/1", [2]);
    throw new StateError("something else was in the way");
  });
  same((await refusal(() => failing, StateError)).message, "something else was in the way", "the error");
  same(await read(kept), [["a/1", [1]]], "what is left");
};

const alone = async ({ store }) => {
  const kept = await store();
  await put(kept, { n: [0] });
  const more = () => transact(kept, ["n"], (records) => records.put("n", [records.get("n")[0] + 1]));
  await Promise.all(Array.from({ length: 50 }, more));
  same(await read(kept), [["n", [50]]], "what fifty at once come to");
};

const lasting = async ({ store }) => {
  const kept = await store();
  await transact(kept, [""], (records) => records.put("a", ["Größe \ud83d\udc1d\u0000\uffff"]), true);
  kept.close?.();
  same(await read(kept), [["a", ["Größe \ud83d\udc1d\u0000\uffff"]]], "what was kept when it was closed");
};

const checked = async ({ store }) => {
  const kept = await store();
  await put(kept, { a: [1], b: [2] });
  const texts = await new Promise((resolve) => void kept.transact([""], (found) => (resolve(new Map(found)), new Map()), false));
  for (const [name, text] of [["changed", texts.get("a").replace("[1]", "[3]")], ["moved", texts.get("b")], ["cut", texts.get("a").slice(0, -1)], ["none", ""]]) {
    await kept.transact([""], () => new Map([["a", text]]), false);
    await refusal(() => read(kept), StateError).catch(() => holds(false, `what was ${name} is noticed`));
  }
};

const hashed = async () => {
  for (const size of [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 200]) {
    const message = system(size);
    const theirs = new Uint8Array(await crypto.subtle.digest("SHA-256", message));
    same(hex(sha256(message)), hex(theirs), `the hash of ${size} bytes`);
  }
  same(hex(sha256(concat([]))).slice(0, 8), "e3b0c442", "that of nothing");
};

export const STORE_LAWS = {
  "a store keeps what transactions change, and gives what they ask for": whole,
  "a store keeps nothing of a transaction that fails": undone,
  "transactions of a store come one after the other": alone,
  "a store that was closed opens again, with all that was kept": lasting,
  "what was changed, moved or cut by anything else is noticed": checked,
  "hashes in plain code are those of the platform": hashed,
};
