// One of several processes that count in one SQLite file: `node counting_process.js PATH TIMES`.

import { SQLiteStore } from "../dist/index.js";
import { transact } from "../dist/store.js";

const [path, times] = process.argv.slice(2);
const store = new SQLiteStore(path);
for (let time = 0; time < Number(times); time += 1) {
  await transact(store, ["n"], (records) => records.put("n", [(records.get("n")?.[0] ?? 0) + 1]));
}
store.close();
