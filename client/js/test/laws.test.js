// The laws, in Node.

import { test } from "node:test";

import { NODE_LAWS } from "./node_laws.js";

for (const [sentence, law] of NODE_LAWS) test(sentence, law);
