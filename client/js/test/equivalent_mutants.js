// Mutants that no law can notice, each with its reason: for test/survivors.js.

export const EQUIVALENT = [
];
