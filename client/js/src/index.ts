/**
 * `new Client(await readSurvey(json)).record(name, answer)` makes a report; `reportBytes` lets it travel. `EmbeddedClient` is for
 * apps: it keeps what it makes, and sends it.
 */

export { readSurvey } from "./all.js";
export { cellAt } from "./cells.js";
export type { Attribute, Attributes } from "./attributes.js";
export { Client, type Settings } from "./client.js";
export type { Said } from "./agreement.js";
export { REASONS, type Reason } from "./reasons.js";
export { type WrittenSurvey, embeddedSurvey } from "./embedded.js";
export { EmbeddedClient } from "./embedding.js";
export * from "./errors.js";
export { IndexedDBStore } from "./indexeddb.js";
export { type Charge, Ledger } from "./ledger.js";
export type { QueueLimits } from "./outbox.js";
export type { Preview } from "./preview.js";
export { type Random, system } from "./randomness.js";
export { type Report, batches, reportBytes } from "./reports.js";
export type { EmbeddedSettings, Means } from "./settings.js";
export { SQLiteStore } from "./sqlite.js";
export type { Status } from "./status.js";
export { StopListError, StopRule } from "./stops.js";
export { BrowserStorage, MemoryStorage, type Storage } from "./storage.js";
export { type Changes, MemoryStore, type Store } from "./store.js";
export { type Pinned, readSurveyWith } from "./reading.js";
export type { Answer, Pairs, Parts, Question, Survey, Vector } from "./survey.js";
export type { Handed } from "./vault.js";
export { type HTTPSettings, HTTPTransport, type Outcome, type Transport } from "./transport.js";
export { type Batch, encodeBatch, encodeFrame } from "./wire.js";
