// The package as others get it: packed from sources alone, unpacked elsewhere, imported, and type-checked.

import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";

const run = promisify(execFile);
const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** What is in the repository: nothing that was built, and nothing that npm installed. */
const SOURCES = ["LICENSE", "README.md", "build.js", "package.json", "src", "tsconfig.json"];
const COMPILERS = ["typescript-5.0", "typescript"];

const PROGRAM = `
import {
  Client, EmbeddedClient, type Survey, embeddedSurvey, readSurvey, reportBytes, type Answer, type WrittenSurvey,
} from "ldpkit-client";
import { choices } from "ldpkit-client/answers";
import { forced } from "ldpkit-client/mechanisms";
import { PinnedRegister } from "ldpkit-client/register";
import { ObliviousTransport, Relay } from "ldpkit-client/relay";

export function relayed(survey: Survey, key: string, hop: string, keys: string): EmbeddedClient {
  const address = "https://relay.example";
  return new EmbeddedClient(survey, { relay: new Relay(address, key, { transport: new ObliviousTransport(hop, address, keys) }) });
}

export function pinned(survey: Survey, head: string, proof: unknown): Client {
  return new Client(survey, { register: new PinnedRegister(head, proof) });
}

export async function upload(source: string, answer: Answer): Promise<number> {
  const survey = await readSurvey(source);
  const again = embeddedSurvey(JSON.parse(source) as WrittenSurvey, { mechanisms: [forced], answers: [choices] });
  const bytes: Uint8Array = reportBytes([
    await new Client(survey).record("smoker", answer), await new Client(again).record("smoker", answer),
  ]);
  return bytes.length;
}
`;

let scratch, unpacked;

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), "ldpkit-"));
  const clone = join(scratch, "clone");
  await mkdir(clone);
  for (const name of SOURCES) await cp(at(name), join(clone, name), { recursive: true });
  await symlink(at("node_modules"), join(clone, "node_modules"));
  const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", scratch], { cwd: clone });
  unpacked = join(scratch, "app", "node_modules", "ldpkit-client");
  await mkdir(unpacked, { recursive: true });
  await run("tar", ["-xzf", join(scratch, stdout.trim().split("\n").at(-1)), "-C", unpacked, "--strip-components=1"]);
  await writeFile(join(scratch, "app", "package.json"), '{ "type": "module" }');
});

after(() => rm(scratch, { recursive: true, force: true }));

test("what is packed from a fresh clone was built, and has its licence, its README and its types", async () => {
  for (const name of ["LICENSE", "README.md", "dist/index.js", "dist/index.d.ts", "dist/ldpkit-client.global.js"]) {
    if (!(await readFile(join(unpacked, name))).length) throw new Error(`expected something in ${name}`);
  }
  if ((await readdir(unpacked)).includes("src")) throw new Error("expected no sources");
  if (Object.keys(JSON.parse(await readFile(join(unpacked, "package.json"))).dependencies ?? {}).length) {
    throw new Error("expected no dependencies");
  }
});

test("the packed package is imported and randomizes in a folder of its own", async () => {
  const script = `
    import { readFile } from "node:fs/promises";
    import { Client, readSurvey, reportBytes } from "ldpkit-client";
    const survey = await readSurvey(await readFile(process.argv[2], "utf8"));
    console.log(reportBytes([await new Client(survey).record("smoker", true)]).length);
  `;
  const file = join(scratch, "app", "answer.js");
  await writeFile(file, script);
  const { stdout } = await run(process.execPath, [file, at("../../examples/web/survey.json")], { cwd: dirname(file) });
  if (stdout !== "58\n") throw new Error(`expected a file of 58 bytes, got ${stdout}`);
});

test("the one file of all runs in a bare engine: five names of the platform, a store and a transport", async () => {
  const script = await readFile(join(unpacked, "dist", "ldpkit-client.global.js"), "utf8");
  const context = { crypto, TextEncoder, setTimeout, clearTimeout, AbortController };
  runInNewContext(script, context);
  const { EmbeddedClient, readSurvey } = runInNewContext("ldpkit", context);
  const survey = await readSurvey(await readFile(at("../../examples/web/survey.json"), "utf8"));
  const records = new Map(), sent = [];
  const store = {
    async transact(prefixes, work) {
      const found = new Map([...records].filter(([key]) => prefixes.some((prefix) => key.startsWith(prefix))));
      for (const [key, text] of work(found)) text === null ? records.delete(key) : records.set(key, text);
    },
  };
  const transport = {
    destination: "https://collect.example/v1/reports",
    async send(payload) {
      sent.push(payload.length);
      return { verdict: "accepted" };
    },
  };
  const client = new EmbeddedClient(survey, { store, transport, interval: null });
  if (!(await client.record("smoker", true)) || !(await client.flush(10))) throw new Error(String(await client.status()));
  if (String(sent) !== "58") throw new Error(`expected an upload of 58 bytes, got ${sent}`);
});

test("errors keep their names where a bundler has shortened those of their classes", async () => {
  const script = await readFile(join(unpacked, "dist", "ldpkit-client.global.js"), "utf8");
  const context = { crypto, TextEncoder, TextDecoder };
  runInNewContext(script, context);
  const all = runInNewContext("ldpkit", context);
  const errors = Object.entries(all).filter(([, one]) => one === all.LDPError || one.prototype instanceof all.LDPError);
  if (errors.length < 8) throw new Error(`expected all errors, got ${errors.length}`);
  for (const [name, OfThis] of errors) {
    if (String(new OfThis("x")) !== `${name}: x`) throw new Error(`expected ${name}, got ${new OfThis("x")}`);
  }
});

for (const compiler of COMPILERS) {
  test(`the types of the package are sound under ${compiler}, strictly`, async () => {
    const app = join(scratch, "app");
    for (const name of ["upload.ts", "required.cts"]) await writeFile(join(app, name), PROGRAM);
    const flags = ["--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom", "--module", "node16"];
    const tsc = at(`node_modules/${compiler}/bin/tsc`);
    await run(process.execPath, [tsc, ...flags, "upload.ts", "required.cts"], { cwd: app }).catch(({ stdout }) => {
      throw new Error(stdout);
    });
  });
}
