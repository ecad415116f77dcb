/**
 * Finite fields (`ldp/numbers/finite_field.py`): elements are the integers below the order, which is a prime, or 4, 8 or 16. A vector
 * over the field is one integer too: its coordinates are that integer's digits in base `order`.
 */

const MODULI: ReadonlyMap<bigint, bigint> = new Map([[4n, 0b111n], [8n, 0b1011n], [16n, 0b10011n]]);

/** The one less the other. */
export function difference(left: bigint, right: bigint, order: bigint): bigint {
  return MODULI.has(order) ? left ^ right : (left - right + order) % order;
}

/** The element whose product with this one, which is not 0, is 1: its power by the order less 2. */
export function inverse(element: bigint, order: bigint): bigint {
  let [found, square] = [1n, element];
  for (let exponent = order - 2n; exponent; exponent >>= 1n) {
    if (exponent & 1n) found = times(found, square, order);
    square = times(square, square, order);
  }
  return found;
}

/** The sum of the products of the coordinates of two vectors. */
export function innerProduct(left: bigint, right: bigint, order: bigint): bigint {
  let total = 0n;
  while (left && right) {
    const term = times(left % order, right % order, order);
    total = MODULI.has(order) ? total ^ term : (total + term) % order;
    left /= order;
    right /= order;
  }
  return total;
}

/** A vector with every coordinate multiplied by `factor`. */
export function multiple(vector: bigint, factor: bigint, order: bigint): bigint {
  let scaled = 0n;
  for (let place = 1n; vector; place *= order) {
    scaled += place * times(vector % order, factor, order);
    vector /= order;
  }
  return scaled;
}

function times(left: bigint, right: bigint, order: bigint): bigint {
  const modulus = MODULI.get(order);
  if (modulus === undefined) return (left * right) % order;
  let product = 0n;
  for (; right; right >>= 1n) {
    if (right & 1n) product ^= left;
    left <<= 1n;
    if (left & order) left ^= modulus;
  }
  return product;
}
