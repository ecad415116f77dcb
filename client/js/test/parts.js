// For tests/typescript/test_js_client.py: which mechanisms and types of answers there are.

import { ALL } from "../dist/all.js";

const mechanisms = ALL.mechanisms.map(([name]) => name);
const types = ALL.answers.flatMap(([names]) => names);
process.stdout.write(JSON.stringify({ mechanisms, types }));
