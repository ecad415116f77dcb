// What ledgers say of given charges: for tests/typescript/test_ledger_words.py.

import { Ledger } from "../dist/ledger.js";
import { read } from "../dist/ratio.js";

const { ledgers } = JSON.parse(await process.stdin.toArray().then((parts) => Buffer.concat(parts)));
const said = ledgers.map(({ charges, events, aside, problem }) => (
  String(new Ledger(charges.map((charge) => ({ ...charge, ratio: read(charge.ratio) })), events, read(aside), problem))
));
process.stdout.write(JSON.stringify(said));
