// A service worker that is a module: randomizes what it is asked to.

import { Client, readSurvey, reportBytes } from "../dist/index.js";

self.onmessage = async ({ data: { survey, answers }, ports: [asker] }) => {
  const client = new Client(await readSurvey(survey));
  const reports = [];
  for (const [name, answer] of Object.entries(answers)) reports.push(await client.record(name, answer));
  asker.postMessage(reportBytes(reports));
};
