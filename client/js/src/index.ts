/** `new Client(await readSurvey(json)).record(name, answer)` makes a report; `reportBytes` lets it travel. */

export { readSurvey } from "./all.js";
export { Client, type Settings } from "./client.js";
export { type WrittenSurvey, embeddedSurvey } from "./embedded.js";
export * from "./errors.js";
export { type Random, system } from "./randomness.js";
export { type Report, batches, reportBytes } from "./reports.js";
export { BrowserStorage, MemoryStorage, type Storage } from "./storage.js";
export { type Pinned, readSurveyWith } from "./reading.js";
export type { Answer, Pairs, Parts, Question, Survey, Vector } from "./survey.js";
export { type Batch, encodeBatch, encodeFrame } from "./wire.js";
