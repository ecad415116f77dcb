// Pages of survey tools get a report in place of an answer: what their forms and data hold, once a question was answered.

import { holds, same } from "./support.js";

const FOLDER = "../../../examples/embedding/";

async function until(condition) {
  for (let waited = 0; !condition(); waited += 10) {
    holds(waited < 20_000, `in time: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function opened(page) {
  const frame = document.createElement("iframe");
  frame.src = `${FOLDER}${page}`;
  document.body.append(frame);
  await new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  return frame.contentDocument;
}

/** A frame with one report of a byte, in base64. */
function isReport(text) {
  const bytes = atob(text);
  same([bytes.slice(0, 4), bytes.length], ["LDPR", 58], "what is sent for an answer");
}

/** What a form would send after an answer was chosen and its button clicked. */
async function sentBy(page, choice) {
  localStorage.clear();
  const document_ = await opened(page);
  const form = document_.querySelector("form");
  let sent;
  // Bubbling, so after the snippet: what it lets through is what leaves.
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    sent = Object.fromEntries(new document_.defaultView.FormData(form, event.submitter));
  });
  const button = form.querySelector("button");
  button.click();
  await new Promise((resolve) => setTimeout(resolve, 50));
  same(sent, undefined, "what is sent without an answer");
  document_.querySelectorAll("input[type=radio]")[choice].click();
  button.click();
  await until(() => sent);
  holds(![...document_.querySelectorAll("input[type=radio]")].some(({ checked }) => checked), "nothing is chosen any more");
  return sent;
}

export const EMBEDDING_LAWS = {
  "forms of oTree and LimeSurvey send a report in place of an answer": async () => {
    for (const [page, field, others] of [
      ["otree.html", "smoker", { csrfmiddlewaretoken: "token" }],
      ["limesurvey.html", "881X12X123", { move: "movenext" }],
    ]) {
      for (const choice of [0, 1]) {
        const { [field]: report, ...rest } = await sentBy(page, choice);
        isReport(report);
        same(rest, others, "all else that is sent");
      }
    }
  },

  "the data of jsPsych hold a report in place of an answer, and no time": async () => {
    localStorage.clear();
    const document_ = await opened("jspsych.html");
    await until(() => document_.querySelector("button"));
    document_.querySelectorAll("button")[1].click();
    await until(() => document_.body.dataset.data);
    const [{ question, report, rt, response }] = JSON.parse(document_.body.dataset.data);
    same([question, rt, response], ["smoker", null, undefined], "what is known besides");
    isReport(report);
  },
};
