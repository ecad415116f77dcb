// Puts a randomized report into a form in place of an answer: for oTree, LimeSurvey, or any page with a form.
//
//   <script src="ldpkit-client.global.js"></script>
//   <script src="ldpkit-form.js" data-survey="survey.json"></script>
//   <div data-ldp-question="smoker" data-ldp-into="#id_smoker">
//     <label><input type="radio" value="true"> Yes</label> ...
//   </div>
//
// The inputs of an answer have no name, so no form ever has them; should a tool have given them one, it is taken away. When
// the form is submitted the answers are randomized, on this device, and what `data-ldp-into` points at gets the report in
// base64. The answers are unset before anything is sent. A question is answered once by a browser: where it was answered
// before, the same report is sent again.
//
// Of the script, `data-respondent` says who answers, where several people share a browser: each has a memory of their own.
// `data-trouble` is what is said in place of sending, where no report can be made.
(() => {
  const {
    survey: address, respondent = "", trouble = "No report can be made here, so nothing was sent. Please tell whoever asked you.",
  } = document.currentScript.dataset;
  const kept = respondent ? `ldpkit-form:${respondent}:` : "";

  const ownMemory = {
    get: (key) => localStorage.getItem(kept + key),
    set: (key, text) => localStorage.setItem(kept + key, text),
    exclusively: (key, work) => navigator.locks.request(kept + key, work),
  };
  const storage = kept ? ownMemory : new ldpkit.BrowserStorage();
  const reading = fetch(address).then((answer) => answer.text()).then((text) => ldpkit.readSurvey(text));

  const SINGLE = {
    boolean: (text) => text === "true",
    category: String,
    text: String,
    integer: Number,
    number: Number,
  };

  const inputsOf = (place) => [...place.querySelectorAll("input, select, textarea")];
  const chosenOf = (place) => inputsOf(place).filter(({ type, checked }) => checked || !["radio", "checkbox"].includes(type));

  /** What was answered; undefined as long as nothing was. Of several values none may be chosen: that is an answer. */
  function answerTo({ type }, texts) {
    if (type === "multi") return texts;
    return texts[0] ? SINGLE[type](texts[0]) : undefined;
  }

  /**
   * Whether a form can ask it, and each of its options fits: told at once, to whoever writes the form, and not to the one
   * respondent who chooses that option, whose page would then say it.
   */
  async function check(place) {
    const survey = await reading;
    const question = survey.question(place.dataset.ldpQuestion);
    const { name, type, draw, inGroup } = question;
    if (draw || inGroup || !(type === "multi" || type in SINGLE)) {
      throw new Error(`question ${name}: a form asks one of type ${[...Object.keys(SINGLE), "multi"].join(", ")}, by itself`);
    }
    if (!document.querySelector(place.dataset.ldpInto)) throw new Error(`question ${name}: nothing is at ${place.dataset.ldpInto}`);
    const options = [...place.querySelectorAll("input[type=radio], input[type=checkbox], option")];
    for (const { value } of options.filter(({ value: text }) => text !== "")) {
      await new ldpkit.Client(survey).record(name, answerTo(question, [value]));
    }
    return { place, question };
  }

  async function reportOf(question, answer, survey) {
    const key = `ldpkit-form:${respondent}:${question.fingerprint}`;
    const before = localStorage.getItem(key);
    if (before) return before;
    const report = await new ldpkit.Client(survey, { storage }).record(question.name, answer);
    const upload = btoa(String.fromCharCode(...ldpkit.reportBytes([report])));
    localStorage.setItem(key, upload);
    return upload;
  }

  /** Takes the answers out of the form, and out of what browsers keep of forms. */
  function hide(place, number) {
    const nobody = document.createElement("form");
    nobody.id = `ldp-nobody-${number}`;
    nobody.hidden = true;
    document.body.append(nobody);
    for (const input of inputsOf(place)) {
      input.removeAttribute("name");
      input.autocomplete = "off";
      // Radio buttons belong together by a name; the form of nobody keeps that out of what is sent.
      if (input.type === "radio") input.setAttribute("form", nobody.id), (input.name = `ldp-${number}`);
    }
  }

  function unset(input) {
    if (["radio", "checkbox"].includes(input.type)) input.checked = false;
    else input.value = "";
  }

  /** Puts reports where they belong; false where an answer is missing. */
  async function randomize(checks) {
    const survey = await reading;
    const asked = (await Promise.all(checks)).map(({ place, question }) => {
      const texts = chosenOf(place).map(({ value }) => value);
      return { place, question, answer: answerTo(question, texts) };
    });
    const missing = asked.find(({ answer }) => answer === undefined);
    if (missing) {
      inputsOf(missing.place)[0].focus();
      return false;
    }
    for (const { place, question, answer } of asked) {
      document.querySelector(place.dataset.ldpInto).value = await reportOf(question, answer, survey);
    }
    for (const { place } of asked) inputsOf(place).forEach(unset);
    return true;
  }

  /** Says so on the page; what is wrong, and never an answer, is in the browser's console. */
  function fail(place, error) {
    console.error(String(error));
    const said = place.querySelector("[role=alert]") ?? place.appendChild(document.createElement("p"));
    said.setAttribute("role", "alert");
    said.textContent = trouble;
  }

  function guard(form, places) {
    const checks = places.map(check);
    checks.forEach((checked, at) => checked.catch((error) => fail(places[at], error)));
    let state = "asking";
    form.addEventListener("submit", async (event) => {
      if (state === "randomized") return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (state === "randomizing") return;
      state = "randomizing";
      try {
        state = (await randomize(checks)) ? "randomized" : "asking";
      } catch (error) {
        state = "asking";
        fail(places[0], error);
      }
      if (state === "randomized") form.requestSubmit(event.submitter);
    }, { capture: true });
  }

  function start() {
    const places = [...document.querySelectorAll("[data-ldp-question]")];
    places.forEach(hide);
    const forms = new Map();
    for (const place of places) {
      const form = place.closest("form");
      forms.set(form, [...(forms.get(form) ?? []), place]);
    }
    for (const [form, some] of forms) guard(form, some);
  }
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
