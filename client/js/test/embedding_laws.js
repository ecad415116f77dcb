// Pages of survey tools get a report in place of an answer: what their forms and data hold, once a question was answered.

import { CITY } from "./embedded_support.js";
import { compiledOf, holds, same } from "./support.js";

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

/** A page with a form that asks these questions, in a survey of its own; attributes of the snippet's script. */
async function written(questions, inputs, attributes = "") {
  const survey = URL.createObjectURL(new Blob([JSON.stringify(await compiledOf(questions))]));
  const frame = document.createElement("iframe");
  frame.srcdoc = `<base href="${new URL(FOLDER, location.href)}"><form>${inputs}<button>Next</button></form>
    <script src="../../client/js/dist/ldpkit-client.global.js"></script>
    <script src="ldpkit-form.js" data-survey="${survey}" ${attributes}></script>`;
  document.body.append(frame);
  await new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  return frame.contentDocument;
}

const placeOf = (name, inputs) =>
  `<input type="hidden" name="${name}" id="into-${name}"><div data-ldp-question="${name}" data-ldp-into="#into-${name}">${inputs}</div>`;
const CITY_FIELD = placeOf("city", `<select name="city"><option value=""></option><option>Bonn</option><option>Celle</option></select>`);

const PETS = {
  name: "pets", type: "multi", values: ["cat", "dog", "fox"], mechanism: "set-unary",
  integers: { size: "3", most: "3", if_true: "10746523503578453194", if_other: "7700220570131098421", word: "64" },
};

/** What a form would send, if anything, from now on. */
function watched(document_) {
  const form = document_.querySelector("form");
  const seen = { sent: undefined, times: 0 };
  // Bubbling, so after the snippet: what it lets through is what leaves.
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    seen.sent = Object.fromEntries(new document_.defaultView.FormData(form, event.submitter));
    seen.times += 1;
  });
  return seen;
}

/** What a form sends after an answer was chosen and its button clicked, twice, as some people do. */
async function sentBy(document_, choose) {
  const seen = watched(document_);
  const button = document_.querySelector("form button");
  button.click();
  await new Promise((resolve) => setTimeout(resolve, 50));
  same(seen.sent, undefined, "what is sent without an answer");
  choose(document_);
  button.click();
  button.click();
  await until(() => seen.sent);
  holds(!document_.querySelector("[data-ldp-question] :checked:not(option)"), "nothing is chosen any more");
  same(seen.times, 1, "how often it is sent");
  return seen.sent;
}

const radio = (choice) => (document_) => document_.querySelectorAll("input[type=radio]")[choice].click();
const city = (name) => (document_) => { document_.querySelector("select").value = name; };

export const EMBEDDING_LAWS = {
  "forms of oTree and LimeSurvey send a report in place of an answer, and the same report again": async () => {
    for (const [page, field, others] of [
      ["otree.html", "smoker", { csrfmiddlewaretoken: "token" }],
      ["limesurvey.html", "881X12X123", { move: "movenext" }],
    ]) {
      for (const choice of [0, 1]) {
        localStorage.clear();
        const { [field]: report, ...rest } = await sentBy(await opened(page), radio(choice));
        isReport(report);
        same(rest, others, "all else that is sent");
        const again = await sentBy(await opened(page), radio(1 - choice));
        same(again[field], report, "what is sent by whoever answers again");
      }
    }
  },

  "people who share a browser have a report each, if the form says who answers": async () => {
    localStorage.clear();
    const reports = [];
    for (const person of ["a", "b", "a"]) {
      const page = await written([CITY], CITY_FIELD, `data-respondent="${person}"`);
      reports.push((await sentBy(page, city("Bonn"))).city);
    }
    reports.forEach((report) => isReport(report));
    same([reports[0] === reports[1], reports[0] === reports[2]], [false, true], "whether they are the same");
  },

  "of several values those that are chosen are sent as one report, and none is an answer too": async () => {
    const boxes = placeOf("pets", `<input type="checkbox" name="p" value="cat"><input type="checkbox" value="dog"><input type="checkbox" value="fox">`);
    for (const chosen of [[], ["dog"], ["cat", "fox"]]) {
      localStorage.clear();
      const page = await written([PETS], boxes);
      const seen = watched(page);
      for (const value of chosen) page.querySelector(`[value=${value}]`).click();
      page.querySelector("button").click();
      await until(() => seen.sent);
      same(Object.keys(seen.sent), ["pets"], "what is sent");
      isReport(seen.sent.pets);
    }
  },

  "a form that cannot be randomized says so, and sends nothing": async () => {
    const option = (value) => placeOf("city", `<select><option>${value}</option></select>`);
    for (const [inputs, why] of [
      [option("Rome"), "an option that is no value"],
      [placeOf("town", "<input>"), "a question that the survey has not"],
      [CITY_FIELD.replaceAll("#into-city", "#elsewhere"), "no field for the report"],
    ]) {
      localStorage.clear();
      const page = await written([CITY], inputs, `data-trouble="Not here."`);
      const seen = watched(page);
      await until(() => page.querySelector("[role=alert]"));
      page.querySelector("button").click();
      await new Promise((resolve) => setTimeout(resolve, 50));
      same([page.querySelector("[role=alert]").textContent, seen.sent], ["Not here.", undefined], why);
    }
  },

  "the data of jsPsych hold a report in place of an answer, and no time": async () => {
    localStorage.clear();
    for (const isFirst of [true, false]) {
      const document_ = await opened("jspsych.html");
      await until(() => document_.querySelector("button"));
      document_.querySelectorAll("button")[1].click();
      await until(() => document_.body.dataset.data);
      const [{ question, report, trouble, rt, response }] = JSON.parse(document_.body.dataset.data);
      same([question, rt, response], ["smoker", null, undefined], "what is known besides");
      if (isFirst) isReport(report);
      else same([report, trouble], [null, "AlreadyAnsweredError"], "what whoever answers again leaves");
    }
  },
};
