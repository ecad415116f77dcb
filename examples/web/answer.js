/**
 * Asks the question of `index.html`, once everything is there that randomizes its answer; says so if it cannot be.
 *
 * An answer goes from the click to `client.record` and nowhere else. The page has no form, its buttons have no names,
 * and they show only now: before the program runs, or without it, there is nothing to click.
 */

const CLIENT = "../../client/js/dist/index.js";
const UPLOAD = "web-example/upload";
const at = (id) => document.getElementById(id);
const collector = new URLSearchParams(location.search).get("collector") ?? "";

/** Once a report is made, its bytes stay as they are: the collector counts a batch once, on whatever try. */
const kept = {
  name: `${UPLOAD}/${collector}`,
  get: () => JSON.parse(localStorage.getItem(kept.name)),
  set: (upload) => localStorage.setItem(kept.name, JSON.stringify([...upload])),
};

function show(upload) {
  const file = new Blob([upload], { type: "application/octet-stream" });
  at("sent").textContent = Array.from(upload, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  at("download").href = URL.createObjectURL(file);
  at("post").hidden = collector === "";
  at("post").onclick = () => send(file);
  at("done").hidden = false;
}

async function send(file) {
  try {
    const response = await fetch(collector, { method: "POST", body: file });
    at("outcome").textContent = response.ok ? "Sent." : `Not accepted (${response.status}).`;
  } catch {
    at("outcome").textContent = "The collector cannot be reached. Try again later.";
  }
}

async function prepare() {
  // Not imported above: what is missing here has to be told, and an import that fails tells no one. Your own page names
  // the package, "ldpkit-client", for its bundler to find.
  const { AlreadyAnsweredError, BrowserStorage, Client, readSurvey, reportBytes } = await import(CLIENT);
  const survey = await readSurvey(await (await fetch("survey.json")).text());
  const client = new Client(survey, { storage: new BrowserStorage(), collector });

  async function answer(event) {
    at("ask").hidden = true;
    try {
      const upload = reportBytes([await client.record("smoker", event.currentTarget.value === "true")]);
      kept.set(upload);
      show(upload);
    } catch (error) {
      const answered = error instanceof AlreadyAnsweredError;
      at("outcome").textContent = answered ? "You have answered already." : "Your answer could not be taken.";
    }
  }

  const made = kept.get();
  at("question").textContent = survey.question("smoker").text;
  for (const button of at("ask").querySelectorAll("button")) button.onclick = answer;
  if (made !== null) show(Uint8Array.from(made));
  else at("ask").hidden = false;
}

try {
  await prepare();
  at("waiting").hidden = true;
  document.body.dataset.ready = "";
} catch {
  at("waiting").textContent =
    "The question cannot be asked here, and nothing was sent. It takes HTTPS, and a browser and a policy that allow " +
    "this page's scripts and storage.";
}
