// A service worker that embeds a client: records what it is told, sends it, and says what became of it.

import { EmbeddedClient, IndexedDBStore, readSurvey } from "../dist/index.js";

self.onmessage = async ({ data: { survey, answers }, ports: [asker] }) => {
  const store = new IndexedDBStore("in-a-service-worker");
  const client = new EmbeddedClient(await readSurvey(survey), { store, collector: location.origin, interval: null });
  for (const [name, answer] of Object.entries(answers)) await client.record(name, answer);
  const isSent = await client.flush();
  asker.postMessage({ isSent, counts: client.counts(), charges: (await client.ledger()).charges.length });
};
