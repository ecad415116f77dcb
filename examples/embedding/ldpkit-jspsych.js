// A plugin of jsPsych 8 that asks a question and leaves a randomized report in the data, in place of the answer.
//
//   const trial = { type: LdpkitQuestion, client, question: "smoker", prompt: "Do you smoke?", choices: { Yes: true, No: false } };
//
// How long somebody thought would be an answer of another kind, so there is no reaction time either. Where no report can be
// made, as of a question that this browser has answered before, the experiment goes on: `report` is null, and `trouble` says
// why, which is the same whatever was chosen.
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
    data: { question: { type: "STRING" }, report: { type: "STRING" }, trouble: { type: "STRING" } },
  };

  async trial(element, { client, question, prompt, choices }, onLoad) {
    // A choice that does not fit is an error for whoever writes the experiment, before anyone can choose it.
    for (const answer of Object.values(choices)) await new ldpkit.Client(client.survey).record(question, answer);
    element.innerHTML = `<p>${prompt}</p>`;
    const chosen = new Promise((resolve) => {
      for (const [label, answer] of Object.entries(choices)) {
        const button = document.createElement("button");
        button.textContent = label;
        button.className = "jspsych-btn";
        button.addEventListener("click", () => resolve(answer), { once: true });
        element.append(button);
      }
    });
    onLoad();
    const answer = await chosen;
    element.replaceChildren();
    return { question, ...(await this.reportOf(client, question, answer)), rt: null };
  }

  async reportOf(client, question, answer) {
    try {
      const bytes = ldpkit.reportBytes([await client.record(question, answer)]);
      return { report: btoa(String.fromCharCode(...bytes)), trouble: null };
    } catch (error) {
      return { report: null, trouble: error.name };
    }
  }
}
