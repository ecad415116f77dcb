// Reports through a relay (src/relay.ts, src/hpke.ts), and a hop before it (src/oblivious.ts), in Node. The vectors of sealed
// reports are in vector_laws.js, as browsers have to keep to them too.

import { createECDH, createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { fromHex, hex, utf8 } from "../dist/bytes.js";
import { P256, X25519, senderTo } from "../dist/hpke.js";
import { MemoryStore } from "../dist/index.js";
import { ObliviousTransport, binaryRequest, encapsulated, readBinaryResponse, readKeys } from "../dist/oblivious.js";
import { Relay } from "../dist/relay.js";
import { isSealed } from "../dist/wire.js";
import { CITY, Collector, TOWN, clock, embedded, lasting } from "./embedded_support.js";
import { holds, refusal, same, surveyOf } from "./support.js";

const VECTORS = new URL("../../../tests/vectors/sealed.json", import.meta.url);
const KEY = JSON.parse(readFileSync(VECTORS, "ascii")).public_key;
const DAY = 86_400;

const base64 = (bytes) => Buffer.from(bytes).toString("base64url");

/** The pair of a secret number on P-256, as Web Crypto has it. */
async function pairOf(secret) {
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(secret, "hex");
  const point = curve.getPublicKey();
  const jwk = { kty: "EC", crv: "P-256", x: base64(point.subarray(1, 33)), y: base64(point.subarray(33)) };
  return imported({ name: "ECDH", namedCurve: "P-256" }, jwk, base64(fromHex(secret)));
}

/** The same on X25519; its public half comes from Node. */
async function pairOnMontgomery(secret) {
  const head = "302e020100300506032b656e04220420";
  const { x } = createPublicKey({ key: privateDer(head + secret), format: "pem" }).export({ format: "jwk" });
  return imported({ name: "X25519" }, { kty: "OKP", crv: "X25519", x }, base64(fromHex(secret)));
}

function privateDer(digits) {
  return `-----BEGIN PRIVATE KEY-----\n${Buffer.from(digits, "hex").toString("base64")}\n-----END PRIVATE KEY-----\n`;
}

async function imported(algorithm, jwk, d) {
  return {
    privateKey: await crypto.subtle.importKey("jwk", { ...jwk, d }, algorithm, true, ["deriveBits"]),
    publicKey: await crypto.subtle.importKey("jwk", jwk, algorithm, true, []),
  };
}

test("HPKE gives what RFC 9180 has for P-256, exported secrets included", async () => {
  // Appendix A.3.1.
  const own = await pairOf("4995788ef4b9d6132b249ce59a77281493eb39af373d236a1fe415cb0c2d7beb");
  const theirs = fromHex(
    "04fe8c19ce0905191ebc298a9245792531f26f0cece2460639e8bc39cb7f706a826a779b4cf969b8a0e539c7f62fb3d30ad6aa8f80e30f1d128aafd68a2ce72ea0",
  );
  const sender = await senderTo(P256, theirs, fromHex("4f6465206f6e2061204772656369616e2055726e"), own);
  same(
    hex(sender.enc),
    "04a92719c6195d5085104f469a8b9814d5838ff72b60501e2c4466e5e67b325ac98536d7b61a1af4b78e5b7f951c0900be863c403ce65c9bfcb9382657222d18c4",
    "enc",
  );
  const exports = [
    ["", "5e9bc3d236e1911d95e65b576a8a86d478fb827e8bdfe77b741b289890490d4d"],
    ["00", "6cff87658931bda83dc857e6353efe4987a201b849658d9b047aab4cf216e796"],
    ["54657374436f6e74657874", "d8f1ea7942adbba7412c6d431c62d01371ea476b823eb697e1f6e6cae1dab85a"],
  ];
  for (const [context, secret] of exports) same(hex(await sender.exported(fromHex(context), 32)), secret, "a secret");
});

test("a key that is none is refused when the relay is named", async () => {
  const flipped = KEY.slice(0, -1) + (KEY.endsWith("Y") ? "c" : "Y");
  for (const wrong of ["", "x", KEY.slice(0, -2), flipped, KEY.replace("_", "-"), "ldp-relay-p256_é"]) {
    await refusal(async () => new Relay("https://relay.example", wrong), RangeError);
  }
  await refusal(async () => new Relay("http://relay.example", KEY), RangeError);
});

async function device(outcomes = [], settings = {}) {
  const survey = await surveyOf([CITY, TOWN]);
  const [store, now, transport] = [lasting(new MemoryStore()), clock(), new Collector(outcomes, "a relay")];
  const relay = new Relay("https://relay.example", KEY, { transport });
  const open = (more = {}) => embedded(survey, { store, relay, ...settings, ...more }, { now });
  return { survey, store, now, transport, open };
}

test("each message goes alone, sealed once, and comes again as it was", async () => {
  const { now, transport, open } = await device([{ verdict: "retry" }, { verdict: "retry" }]);
  const client = open();
  await client.record("city", "Bonn");
  await client.record("town", "Celle");
  for (const waiting of [2, 2]) {
    same([await client.flush(), await client.waiting()], [false, waiting], "what waits after a failure");
    now.pass(DAY);
  }
  await client.close();
  const again = open();
  same([await again.flush(), again.counts()], [true, { accepted: 2 }], "what comes of it");
  same(transport.payloads.every(isSealed), true, "whether all that left was sealed");
  const [first, second, third, last] = transport.payloads.map(hex);
  same([first === second, second === third, third === last], [true, true, false], "which were the same bytes");
  const other = new Relay("https://another.example", KEY, { transport: new Collector([], "another relay") });
  same(await open({ relay: other }).record("city", "Bonn"), false, "whether another relay gets a report for the same collector");
  const ids = new Set(transport.payloads.map((payload) => hex(payload.subarray(16 + 22, 16 + 38))));
  same(ids.size, 2, "the ids");
  same(new Set(transport.payloads.map(({ length }) => length)).size, 1, "their lengths");
});

test("two tabs that seal one report send the same bytes", async () => {
  const slow = () => new Promise((resolve) => setTimeout(resolve, 20, { verdict: "retry" }));
  const { now, transport, open } = await device([slow, slow, slow]);
  const [one, other] = [open(), open()];
  await one.record("city", "Bonn");
  await Promise.all([one.flush(), other.flush()]);
  now.pass(DAY);
  await Promise.all([one.flush(), other.flush()]);
  holds(transport.payloads.length >= 2, "both tried");
  same(new Set(transport.payloads.map(hex)).size, 1, "the different bytes that were sent");
});

test("left to itself a client sends one message at a time, the sooner the more wait", async () => {
  const { now, transport, open } = await device([], { interval: 3600, lifetimeCap: "1000" });
  const client = open();
  await client.record("city", "Bonn");
  await client.record("town", "Celle");
  const spans = [];
  for (const left of [1, 0]) {
    await client.close();
    now.pass(2 * 3600 + 1);
    const next = open();
    for (let turn = 0; turn < 200 && (await next.waiting()) !== left; turn += 1) await new Promise((done) => setTimeout(done, 5));
    same([await next.waiting(), transport.payloads.length], [left, 2 - left], "what is left, and what was sent");
    await new Promise((done) => setTimeout(done, 20));
    spans.push((await next.status()).nextDue);
    await next.close();
  }
  holds(spans.every((span) => span <= 2 * 3600), "it is due within twice the interval");
});

test("a relay stands alone, and mixes nothing that says something of a device", async () => {
  const { survey, open } = await device();
  await refusal(async () => open({ collector: "https://collect.example" }), RangeError);
  await refusal(async () => open({ transport: new Collector() }), RangeError);
  const relay = new Relay("https://relay.example", KEY);
  const said = { ...survey, attributes: [{ name: "platform", values: ["ios"], questions: undefined }] };
  await refusal(async () => relay.way(said, undefined), RangeError);
  const { transport } = relay.way(survey, undefined);
  same(transport.destination, "https://relay.example/v1/sealed", "where it goes");
});

test("the debug view says that a report is sealed, and nothing of what is in it", async () => {
  const messages = [];
  const { open } = await device([], { debug: true, log: (message) => messages.push(message) });
  const client = open();
  await client.record("city", "Bonn");
  await client.flush();
  const [sent] = messages.filter((message) => message.startsWith("sends"));
  holds(sent.endsWith("a report that is sealed for the collector"), sent);
});

const RFC = {
  keys: "01002031e1f05a740102115220e9af918f738674aec95f54db6e04eb705aae8e79815500080001000100010003",
  request: "00034745540568747470730b6578616d706c652e636f6d012f",
  ephemeral: "bc51d5e930bda26589890ac7032f70ad12e4ecb37abb1b65b1256c9c48999c73",
  encapsulated: "010020000100014b28f881333e7c164ffc499ad9796f877f4e1051ee6d31bad19dec96c208b4726374e469135906992e1268c594d2a10c695d858c40a0" +
    "26e7965e7d86b83dd440b2c0185204b4d63525",
  answer: "c789e7151fcba46158ca84b04464910d86f9013e404feea014e7be4a441f234f857fbd",
  response: "0140c8",
};

test("Oblivious HTTP gives what RFC 9458 has in its example", async () => {
  const keys = readKeys(RFC.keys);
  same(keys.kem, X25519, "the kind of key");
  const own = await pairOnMontgomery(RFC.ephemeral);
  const { request, opened } = await encapsulated(keys, fromHex(RFC.request), own);
  same(hex(request), RFC.encapsulated, "the request");
  same(hex(await opened(fromHex(RFC.answer))), RFC.response, "the answer");
  same(readBinaryResponse(fromHex(RFC.response)).status, 200, "what it says");
  for (const wrong of ["", "zz", RFC.keys.slice(0, -16), `01${RFC.keys.slice(2, 4)}30${RFC.keys.slice(6)}`]) {
    await refusal(async () => readKeys(wrong), RangeError);
  }
});

test("messages of binary HTTP have lengths of 1, 2 and 4 bytes", async () => {
  for (const size of [1, 63, 64, 16_383, 16_384, 70_000]) {
    const request = binaryRequest(new URL("https://relay.example/v1/sealed"), new Uint8Array(size).fill(7));
    const content = request.subarray(request.length - 1 - size, request.length - 1);
    holds(content.every((byte) => byte === 7), "the content is at the end");
    const prefix = size < 64 ? [size] : size < 16_384 ? [0x40 + (size >> 8), size & 255] : [0x80, size >> 16, (size >> 8) & 255, size & 255];
    same([...request.subarray(request.length - 1 - size - prefix.length, request.length - 1 - size)], prefix, "its length");
  }
  await refusal(async () => readBinaryResponse(fromHex("0040c8")), RangeError);
  await refusal(async () => readBinaryResponse(fromHex("0140c80561")), RangeError);
  const early = readBinaryResponse(fromHex("01406700" + "40ca06" + "0178" + "0379797a"));
  same([early.status, early.fields.get("x")], [202, "yyz"], "a status before the last, and a field");
});

test("a hop can neither accept nor drop a report", async () => {
  const says = (status, body, type = "text/html") => async () => (
    new Response(body, { status, headers: { "Content-Type": type, "Retry-After": "90" } })
  );
  const signal = new AbortController().signal;
  const expected = { 200: "retry", 202: "retry", 400: "held", 413: "held", 503: "retry" };
  for (const [status, verdict] of Object.entries(expected)) {
    const hop = new ObliviousTransport("https://hop.example/x", "https://relay.example", RFC.keys, {
      fetch: says(Number(status), '{"accepted": 1, "reason": "empty"}'),
    });
    same(hop.destination, "https://relay.example/v1/sealed", "whose it is");
    same((await hop.send(utf8("x"), signal)).verdict, verdict, `what a status of ${status} means`);
  }
  const lying = new ObliviousTransport("https://hop.example/x", "https://relay.example", RFC.keys, {
    fetch: says(200, new Uint8Array(60), "message/ohttp-res"),
  });
  const outcome = await lying.send(utf8("x"), signal);
  same([outcome.verdict, outcome.reason], ["retry", "an answer that does not open"], "what became of it");
});
