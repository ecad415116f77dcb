// Keeps the page up to date: asks for it again every two seconds while it is looked at, and takes over what has changed.
// Elements that are in both pages stay, so that focus, places scrolled to and opened details do too.

const EVERY = 2_000;
const LONGEST = 60_000;
const OURS = "#print, [data-copies]";
const NEWS_EVERY = 30_000;

const part = (id) => document.getElementById(id);
const answer = { tag: "", pause: EVERY, timer: 0 };
const news = { told: part("summary").textContent, at: 0 };
let paused = false;
let ended = false;

/** Makes an element what it is in the fresh page. */
function settle(old, fresh) {
  if (old.nodeName !== fresh.nodeName || old.id !== fresh.id) {
    old.replaceWith(fresh);
    return;
  }
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  settleAttributes(old, fresh);
  const children = [...fresh.childNodes];
  const ids = new Set(children.map((child) => child.id).filter(Boolean));
  for (const [place, child] of children.entries()) {
    clearWay(old, place, child.id, ids);
    const before = old.childNodes[place] ?? null;
    // What has an id waits for its turn: further elements come before it, and it stays where it is.
    const waits = before?.id && before.id !== child.id && ids.has(before.id);
    if (before && !waits) settle(before, child);
    else old.insertBefore(child, before);
  }
  while (old.childNodes.length > children.length) old.lastChild.remove();
}

/** Removes what has gone before the element that has this id, if there is one. */
function clearWay(old, place, id, ids) {
  if (!id || ![...old.childNodes].slice(place).some((each) => each.id === id)) return;
  while (old.childNodes[place].id !== id && !ids.has(old.childNodes[place].id)) old.childNodes[place].remove();
}

/** What the script shows itself stays shown, and whether details are open is up to the reader. */
function settleAttributes(old, fresh) {
  const kept = old.matches(OURS) ? ["open", "hidden"] : ["open"];
  for (const { name, value } of fresh.attributes) {
    if (!kept.includes(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
}

async function look() {
  const asked = performance.now();
  const address = location.href;
  let response;
  try {
    response = await fetch(address, { headers: answer.tag ? { "if-none-match": answer.tag } : {}, cache: "no-store" });
  } catch {
    return later("Out of reach, trying again");
  }
  if (response.status === 304) return soon(performance.now() - asked);
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  // What was asked for before someone paused, or chose something else, is not shown after it.
  if (paused || address !== location.href) return;
  if (response.ok) {
    answer.tag = response.headers.get("etag") ?? "";
    settle(part("main"), fresh.getElementById("main"));
    furnish();
    tell();
    return soon(performance.now() - asked);
  }
  if (response.status === 401 || response.status === 403) return end(fresh);
  return later(fresh.getElementById("problem")?.textContent ?? `The service answers ${response.status}, trying again`);
}

/** A reader takes up a tenth of a processor at most, however long estimates take. */
function soon(took) {
  answer.pause = Math.max(EVERY, 9 * took);
  part("banner").hidden = true;
  say("Live");
}

function later(words) {
  answer.pause = Math.min(2 * answer.pause, LONGEST);
  say(words);
}

/** Nothing more will come: what is shown stays, and says so. */
function end(fresh) {
  ended = true;
  const again = document.createElement("a");
  again.href = location.href;
  again.textContent = "Sign in again";
  const words = fresh.getElementById("problem")?.textContent ?? "You are signed out.";
  part("banner").replaceChildren(`${words} What is shown here is no longer kept up to date. `, again);
  part("banner").hidden = false;
  part("live").hidden = true;
}

function say(words) {
  if (part("state").textContent !== words) part("state").textContent = words;
}

/** Tells those who listen to the page, now and then, how far it is. */
function tell() {
  const now = part("summary").textContent;
  if (now !== news.told && Date.now() - news.at > NEWS_EVERY) {
    part("news").textContent = now;
    Object.assign(news, { told: now, at: Date.now() });
  }
}

async function run() {
  clearTimeout(answer.timer);
  if (ended || paused || document.hidden) return;
  await look();
  if (paused) return say("Paused");
  clearTimeout(answer.timer);
  answer.timer = setTimeout(run, answer.pause);
}

/** Buttons that need a script are there where there is one, also after the page was made anew. */
function furnish() {
  for (const button of document.querySelectorAll(OURS)) button.hidden = false;
}

document.addEventListener("click", async (event) => {
  if (event.target.id === "print") print();
  const name = event.target.dataset?.copies;
  if (!name) return;
  part(name).select();
  await navigator.clipboard?.writeText(part(name).value).catch(() => {});
});
part("pause").addEventListener("click", () => {
  paused = !paused;
  part("pause").textContent = paused ? "Go on" : "Pause";
  say(paused ? "Paused" : "Live");
  run();
});
// A form whose choice is shown at once.
document.addEventListener("input", ({ target }) => {
  if (!target.form?.matches("[data-live]")) return;
  history.replaceState(null, "", `?${new URLSearchParams(new FormData(target.form))}`);
  run();
});
document.addEventListener("visibilitychange", run);
part("live").hidden = false;
furnish();
run();
