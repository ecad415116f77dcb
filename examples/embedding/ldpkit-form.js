// Puts a randomized report into a form in place of an answer: for oTree, LimeSurvey, or any page with a form.
//
//   <script src="ldpkit-client.global.js"></script>
//   <script src="ldpkit-form.js" data-survey="survey.json"></script>
//   <div data-ldp-question="smoker" data-ldp-into="#id_smoker">
//     <label><input type="radio" value="true" required> Yes</label> ...
//   </div>
//
// The inputs of an answer have no name, so no form ever has them; should a tool have given them one, it is taken away. When
// the form is submitted the answers are randomized, on this device, and what `data-ldp-into` points at gets the report in
// base64. The answers are unset before anything is sent. A question is answered once by a browser: where it was answered
// before, the same report is sent again.
(() => {
  const { survey } = document.currentScript.dataset;
  const client = fetch(survey)
    .then((answer) => answer.text())
    .then((text) => ldpkit.readSurvey(text))
    .then((read) => ({ read, client: new ldpkit.Client(read, { storage: new ldpkit.BrowserStorage() }) }));

  const ofType = { boolean: (text) => text === "true", integer: Number, number: Number };

  async function reportOf(question, text) {
    const { read, client: device } = await client;
    const key = `ldpkit-form:${read.fingerprint ?? survey}:${question}`;
    const before = localStorage.getItem(key);
    if (before) return before;
    const { type } = read.questions.find(({ name }) => name === question);
    const report = await device.record(question, (ofType[type] ?? String)(text));
    const upload = btoa(String.fromCharCode(...ldpkit.reportBytes([report])));
    localStorage.setItem(key, upload);
    return upload;
  }

  const inputsOf = (place) => [...place.querySelectorAll("input, select, textarea")];

  function guard(form, places) {
    for (const [number, place] of places.entries()) {
      for (const input of inputsOf(place)) {
        input.removeAttribute("name");
        // Radio buttons belong together by a name; the form of nobody keeps that out of what is sent.
        if (input.type === "radio") input.setAttribute("form", `ldp-nobody-${number}`), (input.name = `ldp-${number}`);
      }
      const nobody = document.createElement("form");
      nobody.id = `ldp-nobody-${number}`;
      nobody.hidden = true;
      document.body.append(nobody);
    }
    let randomized = false;
    form.addEventListener("submit", async (event) => {
      if (randomized) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const asked = places.map((place) => {
        const [chosen] = inputsOf(place).filter(({ type, checked }) => type !== "radio" || checked);
        return { place, chosen };
      });
      const missing = asked.find(({ chosen }) => !chosen || chosen.value === "");
      if (missing) return inputsOf(missing.place)[0].focus();
      for (const { place, chosen } of asked) {
        const target = document.querySelector(place.dataset.ldpInto);
        target.value = await reportOf(place.dataset.ldpQuestion, chosen.value);
        if (chosen.type === "radio") chosen.checked = false;
        else chosen.value = "";
      }
      randomized = true;
      form.requestSubmit(event.submitter);
    }, { capture: true });
  }

  function start() {
    const places = [...document.querySelectorAll("[data-ldp-question]")];
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
