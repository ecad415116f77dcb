// The hook, in React without a page: one client for a component's life, a report for an answer, nothing before or after.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { createElement } from "react";
import { act, create } from "react-test-renderer";

import { MemoryStore, readSurvey } from "../dist/index.js";
import { useSurvey } from "../dist/react.js";

globalThis.IS_REACT_ACT_ENVIRONMENT = true;
const error = console.error;
console.error = (text, ...more) => String(text).includes("react-test-renderer is deprecated") || error(text, ...more);
const survey = await readSurvey(await readFile(new URL("../../../examples/web/survey.json", import.meta.url), "utf8"));

test("a component answers once, and closes its client", async () => {
  let asking;
  const settings = { store: new MemoryStore(), interval: null, log: () => undefined };
  function Question({ asked }) {
    asking = useSurvey(asked, settings);
    return asking.ready ? "ask" : "wait";
  }
  let shown;
  await act(async () => { shown = create(createElement(Question, { asked: null })); });
  assert.equal(shown.toJSON(), "wait");
  assert.equal(await asking.record("smoker", true), false);
  await act(async () => shown.update(createElement(Question, { asked: survey })));
  assert.equal(shown.toJSON(), "ask");
  const { client, record } = asking;
  assert.equal(await record("smoker", true), true);
  assert.equal(await record("smoker", true), false, "its budget is spent");
  assert.equal(await client.waiting(), 1);
  await act(async () => shown.update(createElement(Question, { asked: survey })));
  assert.equal(asking.client, client, "the same client at every rendering");
  await act(async () => shown.unmount());
  assert.equal(await client.record("smoker", true), false, "it is closed");
});
