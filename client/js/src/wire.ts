/** The wire (`ldp/wire/wire.py`): batches of reports, and files that are sequences of checksummed frames. */

import { type Bytes, concat, toBytes, toInteger, utf8 } from "./bytes.js";
import { ID_SIZE } from "./epochs.js";
import { FINGERPRINT_SIZE } from "./fingerprint.js";
import { xxh64 } from "./hashing.js";

/** Of batches of which nothing is said but their reports, and of the others. */
export const FORMAT = 1;
const FORMAT_WITH_ATTRIBUTES = 2;
/** Of what is sealed for a collector behind a relay (`ldp/wire/sealed.py`). */
export const FORMAT_SEALED = 3;
export const MOST_PAYLOAD = 1 << 24;
export const MOST_REPORTS = 1 << 20;

/** Bytes of a frame before its payload: what it is, how long, and a checksum. */
export const FRAME_HEAD = 16;

const REPORTS_MAGIC = utf8("LDPR");

/** What of MessagePack a batch is written in: its codes, and whole numbers and bytes in the shortest of their forms. */
const [ARRAY_OF_FOUR, ARRAY_OF_FIVE, ARRAY_OF_SIX] = [0x94, 0x95, 0x96];
const MOST_IN_CODE = 0x7F;
const [BINARY, UNSIGNED] = [0xC4, 0xCC];

/** `size` reports of one question, as rows of one width, under one id; and what is said openly of their devices, if anything. */
export interface Batch {
  readonly fingerprint: Bytes;
  readonly id: Bytes;
  readonly size: number;
  readonly rows: Bytes;
  readonly combination?: number;
}

/** The bytes of a batch. Throws `RangeError` for one that the format cannot carry. */
export function encodeBatch({ fingerprint, id, size, rows, combination = 0 }: Batch): Bytes {
  if (!isBytes(fingerprint, FINGERPRINT_SIZE) || !isBytes(id, ID_SIZE)) {
    throw new RangeError(`expected a fingerprint of ${FINGERPRINT_SIZE} bytes and an id of ${ID_SIZE}`);
  }
  if (!Number.isInteger(size) || size < 1 || size > MOST_REPORTS) {
    throw new RangeError(`expected 1 to ${MOST_REPORTS} reports`);
  }
  if (!isBytes(rows) || !rows.length || rows.length % size) throw new RangeError("expected rows of one width");
  // What says nothing has the bytes that it had before there were attributes.
  const head = combination ? [ARRAY_OF_SIX, FORMAT_WITH_ATTRIBUTES] : [ARRAY_OF_FIVE, FORMAT];
  const parts = [binary(fingerprint), binary(id), unsigned(size), binary(rows)];
  const payload = concat([Uint8Array.from(head), ...parts, ...(combination ? [unsigned(combination)] : [])]);
  if (payload.length > MOST_PAYLOAD) throw new RangeError(`expected at most ${MOST_PAYLOAD} bytes in a batch`);
  return payload;
}

/** A sealed report, as the payload of a frame. */
export function encodeSealed(fingerprint: Bytes, id: Bytes, envelope: Bytes): Bytes {
  return concat([Uint8Array.of(ARRAY_OF_FOUR, FORMAT_SEALED), binary(fingerprint), binary(id), binary(envelope)]);
}

/** Whether a frame has a sealed report. */
export function isSealed(frame: Bytes): boolean {
  return frame[FRAME_HEAD] === ARRAY_OF_FOUR;
}

/** The batch of bytes that `encodeBatch` gave. */
export function decodeBatch(payload: Bytes): Batch {
  // After the array and the format.
  let at = 2;
  const taken = (size: number): Bytes => payload.slice(at, (at += size));
  const number = (code: number): number => Number(toInteger(taken(1 << (taken(1)[0]! - code)).reverse()));
  const bytes = (): Bytes => taken(number(BINARY));
  const [fingerprint, id] = [bytes(), bytes()];
  const size = payload[at]! > MOST_IN_CODE ? number(UNSIGNED) : taken(1)[0]!;
  return { fingerprint, id, size, rows: bytes() };
}

function unsigned(number: number): Bytes {
  return number <= MOST_IN_CODE ? Uint8Array.of(number) : sized(UNSIGNED, number);
}

function binary(bytes: Bytes): Bytes {
  return concat([sized(BINARY, bytes.length), bytes]);
}

/** A number in 1, 2 or 4 bytes, under one of three codes that follow each other; MessagePack is big-endian. */
function sized(code: number, number: number): Bytes {
  const form = [0xFF, 0xFFFF, 0xFFFFFFFF].findIndex((most) => number <= most);
  return concat([Uint8Array.of(code + form), toBytes(BigInt(number), 1 << form).reverse()]);
}

/** A payload as one frame of a file. */
export function encodeFrame(payload: Bytes): Bytes {
  const checksum = xxh64(payload, BigInt(payload.length));
  return concat([REPORTS_MAGIC, toBytes(BigInt(payload.length), 4), toBytes(checksum, 8), payload]);
}

function isBytes(found: unknown, size?: number): boolean {
  return found instanceof Uint8Array && found.length === (size ?? found.length);
}
