/**
 * A hop that hides who sends (Oblivious HTTP, RFC 9458): the request is encrypted to the relay's own key and handed to a third
 * party, who sees the address of the device and not what it sends; the relay sees what was sent and no address.
 * Messages within are binary HTTP (RFC 9292), of known length.
 *
 * What comes back without encapsulation is the hop's own word, and never counts as an answer to a report.
 */

import { type Bytes, concat, fromHex, toInteger, utf8 } from "./bytes.js";
import { AEAD, KDF, P256, X25519, crypted, hmac, number, senderTo } from "./hpke.js";
import { type Outcome, type Transport, outcomeOfAnswer } from "./transport.js";

const [REQUEST, RESPONSE] = ["message/ohttp-req", "message/ohttp-res"];
const SECRET_SIZE = 16;
const NONCE_SIZE = 12;
const KEY_SIZES: Readonly<Record<number, number>> = { [P256]: 65, [X25519]: 32 };

export interface ObliviousSettings {
  /** What the hop asks for, such as a token of its own. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
}

/** The relay's key, as it is published: its number, how keys are agreed on, and the public key. */
interface Configuration {
  readonly head: Bytes;
  readonly kem: number;
  readonly key: Bytes;
}

export class ObliviousTransport implements Transport {
  readonly destination: string;
  readonly #hop: string;
  readonly #target: URL;
  readonly #keys: Configuration;
  readonly #settings: ObliviousSettings;

  /**
   * `hop` is the address that was rented, `relay` that of the relay, `keys` what `ldp relay oblivious-keys` prints.
   * Throws `RangeError`.
   */
  constructor(hop: string, relay: string, keys: string, settings: ObliviousSettings = {}) {
    const [there, target] = [hop, relay].map((text) => (URL.canParse(text) ? new URL(text) : undefined));
    const isSafe = there?.protocol === "https:" || ["localhost", "127.0.0.1"].includes(there?.hostname ?? "");
    if (!there || !target || !isSafe) throw new RangeError(`expected addresses of a hop and a relay over https, got "${hop}" and "${relay}"`);
    this.#target = new URL(`${target.pathname.replace(/\/+$/, "")}/v1/sealed`, target);
    this.destination = this.#target.href;
    this.#hop = there.href;
    this.#keys = readKeys(keys);
    this.#settings = settings;
  }

  async send(payload: Bytes, signal: AbortSignal): Promise<Outcome> {
    const { request, opened } = await encapsulated(this.#keys, binaryRequest(this.#target, payload));
    const { fetch: own, headers } = this.#settings;
    const response = await (own ?? fetch)(this.#hop, {
      method: "POST", body: request, headers: { ...headers, "Content-Type": REQUEST }, signal,
      redirect: "error", credentials: "omit", cache: "no-store",
    });
    const body = new Uint8Array(await response.arrayBuffer());
    // What is not encapsulated is the hop's own word, or a gateway's that does not know the key.
    if (response.status !== 200 || response.headers.get("Content-Type") !== RESPONSE) {
      const status = response.status === 200 ? 502 : response.status;
      return outcomeOfAnswer(status === 202 ? 502 : status, response.headers.get("Retry-After"), "");
    }
    try {
      const { status, fields, content } = readBinaryResponse(await opened(body));
      return outcomeOfAnswer(status, fields.get("retry-after") ?? null, new TextDecoder().decode(content));
    } catch {
      return { verdict: "retry", reason: "an answer that does not open" };
    }
  }
}

/** Encapsulates a request; `opened` reads the answer to it. `own` are its keys, where something else draws them. */
export async function encapsulated(
  { head, kem, key }: Configuration, request: Bytes, own?: CryptoKeyPair,
): Promise<{ request: Bytes; opened: (response: Bytes) => Promise<Bytes> }> {
  const sender = await senderTo(kem, key, concat([utf8("message/bhttp request"), Uint8Array.of(0), head]), own);
  const opened = async (response: Bytes): Promise<Bytes> => {
    const secret = await sender.exported(utf8("message/bhttp response"), SECRET_SIZE);
    const pseudorandom = await hmac(concat([sender.enc, response.slice(0, SECRET_SIZE)]), secret);
    const derived = (label: string): Promise<Bytes> => hmac(pseudorandom, concat([utf8(label), Uint8Array.of(1)]));
    const [answerKey, nonce] = [(await derived("key")).slice(0, SECRET_SIZE), (await derived("nonce")).slice(0, NONCE_SIZE)];
    return crypted("decrypt", answerKey, nonce, response.slice(SECRET_SIZE));
  };
  return { request: concat([head, sender.enc, await sender.seal(request)]), opened };
}

/** The first key of a configuration, in hexadecimal, that this client can use. Throws `RangeError`. */
export function readKeys(text: string): Configuration {
  const bytes = /^([0-9a-f]{2})+$/i.test(text.trim()) ? fromHex(text.trim()) : new Uint8Array();
  const kem = bytes.length > 3 ? integer(bytes.slice(1, 3)) : 0;
  const end = 3 + (KEY_SIZES[kem] ?? Infinity);
  const suites = Array.from({ length: Math.max(0, (bytes.length - end - 2) / 4) }, (_, at) => bytes.slice(end + 2 + 4 * at, end + 6 + 4 * at));
  if (!suites.some((suite) => integer(suite.slice(0, 2)) === KDF && integer(suite.slice(2)) === AEAD)) {
    throw new RangeError("expected the keys of a relay as ldp relay oblivious-keys prints them");
  }
  return { head: concat([bytes.slice(0, 3), number(KDF), number(AEAD)]), kem, key: bytes.slice(3, end) };
}

/** A request that posts bytes. */
export function binaryRequest({ protocol, host, pathname }: URL, content: Bytes): Bytes {
  const control = ["POST", protocol.slice(0, -1), host, pathname].flatMap((text) => withLength(utf8(text)));
  const fields = ["content-type", "application/octet-stream", "content-length", String(content.length)];
  const section = concat(fields.flatMap((text) => withLength(utf8(text))));
  return concat([variable(0), ...control, ...withLength(section), ...withLength(content), variable(0)]);
}

/** The last status of a response, its fields and content. Throws `RangeError` for what is none. */
export function readBinaryResponse(bytes: Bytes): { status: number; fields: Map<string, string>; content: Bytes } {
  let at = 0;
  const taken = (size: number): Bytes => {
    // What was cut off at the end is empty.
    if (at < bytes.length && at + size > bytes.length) throw new RangeError("expected a whole binary HTTP response");
    return bytes.slice(at, (at += size));
  };
  const length = (): number => {
    const first = taken(1)[0] ?? 0;
    return (first & 0x3f) * 256 ** ((1 << (first >> 6)) - 1) + integer(taken((1 << (first >> 6)) - 1));
  };
  const part = (): Bytes => taken(length());
  if (length() !== 1) throw new RangeError("expected a binary HTTP response of known length");
  let [status, section] = [length(), part()];
  while (status < 200) [status, section] = [length(), part()];
  const content = part();
  const fields = new Map<string, string>();
  [bytes, at] = [section, 0];
  while (at < bytes.length) fields.set(new TextDecoder().decode(part()).toLowerCase(), new TextDecoder().decode(part()));
  return { status, fields, content };
}

function withLength(bytes: Bytes): Bytes[] {
  return [variable(bytes.length), bytes];
}

/** A number in 1, 2 or 4 bytes, whose first two bits say in how many. */
function variable(integer: number): Bytes {
  if (integer < 64) return Uint8Array.of(integer);
  if (integer < 1 << 14) return number(integer + 0x4000);
  return concat([number(0x8000 + (integer >> 16)), number(integer & 0xffff)]);
}

function integer(bytes: Bytes): number {
  return Number(toInteger(bytes.slice().reverse()));
}
