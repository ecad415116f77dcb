// The laws, in headless Chromium: $CHROMIUM, or the first of the usual names on the path; skipped where there is none.

import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, extname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript" };
const NAMES = ["chromium", "chromium-browser", "google-chrome"];
const PATIENCE = 180_000;

const chromium = process.env.CHROMIUM ?? NAMES.flatMap(
  (name) => process.env.PATH.split(delimiter).map((folder) => join(folder, name)),
).find(isProgram);

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Serves the repository, and hands over what is posted; uploads of reports are accepted. */
function serve(posted) {
  return createServer(async (request, response) => {
    if (request.method === "POST") {
      const parts = await request.toArray();
      const isUpload = request.url === "/v1/reports";
      response.writeHead(isUpload ? 202 : 200).end(isUpload ? '{"accepted": 1}' : "");
      if (isUpload) return undefined;
      return posted(JSON.parse(Buffer.concat(parts)));
    }
    const path = join(ROOT, new URL(request.url, "http://localhost").pathname);
    try {
      const content = await readFile(path);
      response.setHeader("Content-Type", TYPES[extname(path)] ?? "application/octet-stream");
      return response.end(content);
    } catch {
      return response.writeHead(404).end();
    }
  });
}

/** What came of each law in Chromium. */
async function outcomesIn(program) {
  const profile = await mkdtemp(join(tmpdir(), "ldpkit-"));
  let server, browser, timer;
  try {
    return await new Promise((resolve, reject) => {
      timer = setTimeout(() => reject(new Error("Chromium did not answer in time")), PATIENCE);
      server = serve(resolve).listen(0, "127.0.0.1", () => {
        const page = `http://127.0.0.1:${server.address().port}/client/js/test/browser.html`;
        const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", `--user-data-dir=${profile}`];
        browser = spawn(program, [...flags, page], { stdio: "ignore" }).on("error", reject);
      });
    });
  } finally {
    clearTimeout(timer);
    server.close();
    server.closeAllConnections();
    if (browser?.pid && browser.exitCode === null) {
      const gone = new Promise((resolve) => browser.on("exit", resolve));
      browser.kill();
      await gone;
    }
    await rm(profile, { recursive: true, force: true, maxRetries: 10 });
  }
}

test("the laws hold in Chromium", { skip: chromium ? false : "there is no Chromium" }, async (context) => {
  for (const [sentence, outcome] of Object.entries(await outcomesIn(chromium))) {
    await context.test(sentence, () => {
      if (outcome !== "holds") throw new Error(outcome);
    });
  }
});
