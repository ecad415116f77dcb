/**
 * Merkle trees over the entries of a log, as far as a device checks them (`ldp/transparency/tree.py`): that an entry is in the
 * log whose root is known, and that a longer log begins with all entries of a shorter one. RFC 9162, 2.1.3.2 and 2.1.4.2.
 */

import { type Bytes, concat, hex } from "./bytes.js";
import { sha256 } from "./sha256.js";

/** A log: how many entries it has, and the root over them. */
export interface Head {
  readonly size: number;
  readonly root: Bytes;
}

/** The prefixes keep an entry from being taken for two hashes. */
const [LEAF, NODE] = [Uint8Array.of(0), Uint8Array.of(1)];

export function leafHash(entry: Uint8Array): Bytes {
  return sha256(concat([LEAF, entry]));
}

export function isSame(one: Bytes, other: Bytes): boolean {
  return hex(one) === hex(other);
}

/** Whether a path proves that the entry of a hash is number `index` of a log. */
export function isIncluded(leaf: Bytes, index: number, { size, root }: Head, path: readonly Bytes[]): boolean {
  if (index >= size) return false;
  let current = leaf;
  const isWhole = climb(index, size - 1, path, (sibling, isLeft) => {
    current = isLeft ? nodeHash(sibling, current) : nodeHash(current, sibling);
  });
  return isWhole && isSame(current, root);
}

/** Whether a path proves that one log goes on from another, which has entries. */
export function isConsistent(first: Head, second: Head, path: readonly Bytes[]): boolean {
  if (first.size === second.size) return !path.length && isSame(first.root, second.root);
  if (first.size > second.size || !path.length) return false;
  // A first log whose size is a power of two is a node of the second one, and known.
  const [start, ...rest] = Number.isInteger(Math.log2(first.size)) ? [first.root, ...path] : path;
  let [node, last] = [first.size - 1, second.size - 1];
  while (node % 2) [node, last] = [half(node), half(last)];
  let [before, after] = [start!, start!];
  const isWhole = climb(node, last, rest, (sibling, isLeft) => {
    if (isLeft) before = nodeHash(sibling, before);
    after = isLeft ? nodeHash(sibling, after) : nodeHash(after, sibling);
  });
  return isWhole && isSame(before, first.root) && isSame(after, second.root);
}

/** Climb from a node to the root, `last` being the last one of its level: whether the path leads there, and no further. */
function climb(node: number, last: number, path: readonly Bytes[], take: (sibling: Bytes, isLeft: boolean) => void): boolean {
  for (const sibling of path) {
    if (!last) return false;
    const isLeft = node % 2 === 1 || node === last;
    take(sibling, isLeft);
    while (isLeft && node && node % 2 === 0) [node, last] = [half(node), half(last)];
    [node, last] = [half(node), half(last)];
  }
  return !last;
}

function nodeHash(left: Bytes, right: Bytes): Bytes {
  return sha256(concat([NODE, left, right]));
}

/** Sizes may be beyond what `>>` takes. */
function half(number: number): number {
  return Math.floor(number / 2);
}
