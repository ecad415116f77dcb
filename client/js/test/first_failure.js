// The laws, in Node, up to the first that does not hold: what `npm run mutate` runs for every mutant.

import { NODE_LAWS } from "./node_laws.js";

for (const [sentence, law] of NODE_LAWS) {
  await law().catch(({ message }) => {
    console.error(`${sentence}: ${message}`);
    process.exit(1);
  });
}
