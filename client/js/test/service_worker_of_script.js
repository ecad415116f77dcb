// The same as a classic script, with the package's one file of all.

importScripts("../dist/ldpkit-client.global.js");

self.onmessage = async ({ data: { survey, answers }, ports: [asker] }) => {
  const client = new ldpkit.Client(await ldpkit.readSurvey(survey));
  const reports = [];
  for (const [name, answer] of Object.entries(answers)) reports.push(await client.record(name, answer));
  asker.postMessage(ldpkit.reportBytes(reports));
};
