// The laws, in a browser: runs them, and posts what came of each to the server that this page is from.

import { BrowserStorage, EmbeddedClient, IndexedDBStore, readSurvey } from "../dist/index.js";
import { ARC_LAWS } from "./arc_laws.js";
import { CLIENT_LAWS } from "./client_laws.js";
import { CODEBOOK_LAWS } from "./codebook_laws.js";
import { CITY, KEPT } from "./embedded_support.js";
import { secretOfPage } from "./page_secret.js";
import { compiledOf, holds, same } from "./support.js";
import { DELIVERY_LAWS } from "./delivery_laws.js";
import { DRAW_LAWS } from "./draw_laws.js";
import { EMBEDDED_LAWS } from "./embedded_laws.js";
import { EMBEDDING_LAWS } from "./embedding_laws.js";
import { FIELD_LAWS } from "./field_laws.js";
import { KEPT_LAWS } from "./kept_laws.js";
import { NUMBER_LAWS } from "./number_laws.js";
import { ONCE_LAWS } from "./once_laws.js";
import { REGISTER_LAWS } from "./register_laws.js";
import { ROLLBACK_LAWS } from "./rollback_laws.js";
import { STORE_LAWS } from "./store_laws.js";
import { SURVEY_LAWS } from "./survey_laws.js";
import { VECTOR_LAWS } from "./vector_laws.js";

let databases = 0;

const here = {
  read: async (name) => (await fetch(`../../../tests/vectors/${name}.json`)).json(),
  storage: () => {
    localStorage.clear();
    return new BrowserStorage();
  },
  store: () => new IndexedDBStore(`laws-${(databases += 1)}`),
};

async function opened(page) {
  const frame = document.createElement("iframe");
  frame.src = page;
  document.body.append(frame);
  await until(() => frame.contentDocument?.body?.dataset.ready !== undefined);
  return frame.contentDocument;
}

async function until(condition) {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** What a service worker gives for some work. */
async function worked(script, type, work) {
  // Each has a scope of its own, which no page needs to be in.
  const registration = await navigator.serviceWorker.register(script, { type, scope: `./of-${type}/` });
  const worker = registration.installing ?? registration.active;
  await until(() => worker.state === "activated");
  const { port1, port2 } = new MessageChannel();
  const answered = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
  worker.postMessage(work, [port2]);
  const answer = await answered;
  await registration.unregister();
  return answer;
}

const PAGE_LAWS = {
  "service workers randomize, of modules and of one script": async () => {
    const survey = await (await fetch("../../../examples/web/survey.json")).text();
    for (const [script, type] of [["service_worker.js", "module"], ["service_worker_of_script.js", "classic"]]) {
      const upload = await worked(script, type, { survey, answers: { smoker: true } });
      same([upload.length, upload[0]], [58, 0x4C], "a frame with one report of a byte");
    }
  },

  "service workers embed a client, and none asks for locks": async () => {
    const survey = JSON.stringify(await compiledOf([CITY]));
    const outcome = await worked("embedded_worker.js", "module", { survey, answers: { city: "Bonn" } });
    same(outcome, { isSent: true, counts: { recorded: 1, accepted: 1 }, charges: 1 }, "what it says");
    const [locks, kept] = [Object.getOwnPropertyDescriptor(Navigator.prototype, "locks"), new IndexedDBStore("without-locks")];
    const read = await readSurvey(survey);
    delete Navigator.prototype.locks;
    try {
      const clients = [1, 2].map(() => new EmbeddedClient(read, { store: kept, interval: null }));
      const recorded = await Promise.all(clients.map((client) => client.record("city", "Bonn")));
      same(recorded.filter(Boolean).length, 1, "the reports of two clients");
    } finally {
      Object.defineProperty(Navigator.prototype, "locks", locks);
    }
  },

  "a key of the page's own, which no script can read, seals the device's secret": async () => {
    const survey = await readSurvey(JSON.stringify(await compiledOf([KEPT])));
    const kept = new IndexedDBStore("sealed-by-the-page");
    const open = () => new EmbeddedClient(survey, { store: kept, interval: null, secret: () => secretOfPage() });
    for (let page = 0; page < 2; page += 1) same(await open().record("kept", "Bonn"), true, "whether it is recorded");
    same((await open().ledger()).charges.length, 1, "the charges of one response");
    const other = new EmbeddedClient(survey, { store: kept, interval: null, log: () => undefined });
    same([await other.record("kept", "Bonn"), other.counts()], [false, { state: 1 }], "what is recorded without the key");
  },

  "the example page shows what it offers for download, and the same once it is opened again": async ({ storage }) => {
    storage();
    const page = await opened("../../../examples/web/index.html");
    page.querySelector("button[value=true]").click();
    await until(() => !page.getElementById("done").hidden);
    const sent = page.getElementById("sent").textContent;
    const file = new Uint8Array(await (await fetch(page.getElementById("download").href)).arrayBuffer());
    same(Array.from(file, (byte) => byte.toString(16).padStart(2, "0")).join(" "), sent, "the file");
    holds(sent.startsWith("4c 44 50 52 ") && sent.split(" ").length === 58, "it is a frame with one report of a byte");
    const again = await opened("../../../examples/web/index.html");
    same([again.getElementById("sent").textContent, again.getElementById("ask").hidden], [sent, true], "the page");
  },
};

const laws = {
  ...VECTOR_LAWS, ...DRAW_LAWS, ...SURVEY_LAWS, ...NUMBER_LAWS, ...CODEBOOK_LAWS, ...ARC_LAWS, ...ONCE_LAWS, ...FIELD_LAWS,
  ...CLIENT_LAWS, ...KEPT_LAWS, ...EMBEDDED_LAWS, ...DELIVERY_LAWS, ...STORE_LAWS, ...REGISTER_LAWS, ...ROLLBACK_LAWS, ...EMBEDDING_LAWS,
  ...PAGE_LAWS,
};
const outcomes = {};
for (const [sentence, law] of Object.entries(laws)) {
  outcomes[sentence] = await law(here).then(() => "holds", (error) => `${error.name}: ${error.message}`);
}
await fetch("/outcomes", { method: "POST", body: JSON.stringify(outcomes) });
