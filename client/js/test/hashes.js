// For tests/typescript/test_js_client.py: bytes and seeds in, their XXH64 out.

import { text } from "node:stream/consumers";

import { fromHex } from "../dist/bytes.js";
import { xxh64 } from "../dist/hashing.js";

const { inputs } = JSON.parse(await text(process.stdin));
process.stdout.write(JSON.stringify(inputs.map(({ bytes, seed }) => String(xxh64(fromHex(bytes), BigInt(seed))))));
