// A plugin of jsPsych 8 that asks a question and leaves a randomized report in the data, in place of the answer.
//
//   const trial = { type: LdpkitQuestion, client, question: "smoker", prompt: "Do you smoke?", choices: { Yes: true, No: false } };
//
// How long somebody thought would be an answer of another kind, so there is no reaction time either.
class LdpkitQuestion {
  static info = {
    name: "ldpkit-question",
    version: "0.1.0",
    parameters: {
      client: { type: "OBJECT" },
      question: { type: "STRING" },
      prompt: { type: "HTML_STRING" },
      choices: { type: "OBJECT" },
    },
    data: { question: { type: "STRING" }, report: { type: "STRING" } },
  };

  constructor(jsPsych) {
    this.jsPsych = jsPsych;
  }

  trial(element, { client, question, prompt, choices }) {
    element.innerHTML = `<p>${prompt}</p>`;
    for (const [label, answer] of Object.entries(choices)) {
      const button = document.createElement("button");
      button.textContent = label;
      button.className = "jspsych-btn";
      button.addEventListener("click", async () => {
        const report = await client.record(question, answer);
        element.replaceChildren();
        const bytes = ldpkit.reportBytes([report]);
        this.jsPsych.finishTrial({ question, report: btoa(String.fromCharCode(...bytes)), rt: null });
      }, { once: true });
      element.append(button);
    }
  }
}
