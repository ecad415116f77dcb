/** The wire (`ldp/wire.py`): batches of reports, and files that are sequences of checksummed frames. */

import { encode } from "@msgpack/msgpack";

import { type Bytes, concat, toBytes, utf8 } from "./bytes.js";
import { ID_SIZE } from "./epochs.js";
import { FINGERPRINT_SIZE } from "./fingerprint.js";
import { xxh64 } from "./hashing.js";

export const FORMAT = 1;
export const MOST_PAYLOAD = 1 << 24;
export const MOST_REPORTS = 1 << 20;

const REPORTS_MAGIC = utf8("LDPR");

/** `size` reports of one question, as rows of one width, under one id. */
export interface Batch {
  readonly fingerprint: Bytes;
  readonly id: Bytes;
  readonly size: number;
  readonly rows: Bytes;
}

/** The bytes of a batch. Throws `RangeError` for one that the format cannot carry. */
export function encodeBatch({ fingerprint, id, size, rows }: Batch): Bytes {
  if (!isBytes(fingerprint, FINGERPRINT_SIZE) || !isBytes(id, ID_SIZE)) {
    throw new RangeError(`expected a fingerprint of ${FINGERPRINT_SIZE} bytes and an id of ${ID_SIZE}`);
  }
  if (!Number.isInteger(size) || size < 1 || size > MOST_REPORTS) {
    throw new RangeError(`expected 1 to ${MOST_REPORTS} reports`);
  }
  if (!isBytes(rows) || !rows.length || rows.length % size) throw new RangeError("expected rows of one width");
  const payload = encode([FORMAT, fingerprint, id, size, rows]);
  if (payload.length > MOST_PAYLOAD) throw new RangeError(`expected at most ${MOST_PAYLOAD} bytes in a batch`);
  return payload;
}

/** A payload as one frame of a file. */
export function encodeFrame(payload: Bytes): Bytes {
  const checksum = xxh64(payload, BigInt(payload.length));
  return concat([REPORTS_MAGIC, toBytes(BigInt(payload.length), 4), toBytes(checksum, 8), payload]);
}

function isBytes(found: unknown, size?: number): boolean {
  return found instanceof Uint8Array && found.length === (size ?? found.length);
}
