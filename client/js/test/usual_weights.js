// For tests/typescript/test_js_client.py: circles (places, width of an arc) in; the usual weights of each out.

import { text } from "node:stream/consumers";

import { usualWeights } from "../dist/arcs.js";

const { circles } = JSON.parse(await text(process.stdin));
const weights = circles.map(([modulus, arc]) => usualWeights(modulus, arc).map(String));
process.stdout.write(JSON.stringify(weights));
