/** Bytes, and the integers and texts that they stand for. Integers are little-endian. */

/** Bytes in a buffer of their own: `Uint8Array<ArrayBuffer>`, which TypeScript before 5.7 calls `Uint8Array`. */
export type Bytes = ReturnType<typeof Uint8Array.of>;

export function utf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function fromHex(text: string): Bytes {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

export function toInteger(bytes: Uint8Array): bigint {
  return BigInt(`0x0${hex(bytes.slice().reverse())}`);
}

export function toBytes(integer: bigint, width: number): Bytes {
  return fromHex(integer.toString(16).padStart(2 * width, "0")).reverse();
}

export function concat(parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** How many binary digits an integer above 0 has. */
export function bitLength(integer: bigint): number {
  return integer.toString(2).length;
}

/** How many of the binary digits of an integer from 0 on are ones. */
export function onesOf(integer: bigint): number {
  return integer.toString(2).replaceAll("0", "").length;
}
