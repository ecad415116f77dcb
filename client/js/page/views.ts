/** What is shown: who asks, what will be sent, the questions, and the receipt. */

import type { Answer, Question, Survey } from "../src/survey.js";
import { type Control, controlOf } from "./controls.js";
import { button, el, newId } from "./elements.js";
import { type Sent, saidBy } from "./sent.js";
import { type Told, type Texts, type Voice, isolated } from "./texts.js";

/** What was answered: a browser that translates pages sends their text to whoever translates. */
const OWN = { translate: "no" };

/** Who asks and why. */
export function introduction(voice: Voice, survey: Survey, texts: Texts, start: () => void): HTMLElement {
  const { title, asked_by, purpose, contact } = voice.survey;
  const facts = [["asked_by", asked_by], ["contact", contact]] as const;
  const known = facts.filter(([, words]) => words);
  return el(
    "section", {},
    heading(title),
    purpose && el("p", { class: "purpose", dir: "auto" }, purpose),
    known.length > 0 && el("dl", {}, ...known.flatMap(([key, words]) => [el("dt", {}, voice.say(key)), el("dd", { dir: "auto" }, words)])),
    el("p", {}, voice.say("never_leaves")),
    survey.questions.some(({ draw }) => draw) && el("p", {}, voice.say("some_are_asked")),
    el("p", { class: "actions" }, button(voice.say("start"), start, "main")),
    el(
      "details", {},
      el("summary", {}, voice.say("what_is_sent")),
      el("p", {}, voice.say("all_together", texts.total)),
      el("p", { class: "hint" }, voice.say("what_else_shows")),
    ),
  );
}

/** An answer in the words of a language. */
export type Words = (voice: Voice) => string;

/** One question on the page, with what was answered. */
export interface Posed {
  readonly question: Question;
  readonly element: HTMLElement;
  readonly control: Control;
  /** Undefined where it is left out. */
  answer(): Answer | undefined;
  words(voice: Voice): string;
  /** Whether it is answered in a way that fits, or may be left out; where not, it says so. */
  check(): boolean;
}

export function posed(question: Question, told: Told, voice: Voice): Posed {
  const control = controlOf(question, told, voice);
  const problem = el("p", { class: "problem", role: "alert", id: newId(), hidden: true });
  const skipping = el("input", { type: "checkbox", autocomplete: "off" });
  const help = voice.asked(question.name)?.help;
  const skip = el(
    "label", { class: "choice refusal" }, skipping, el("span", {}, `${voice.say("leave_out")} `, el("small", {}, voice.say("leaving_shows"))),
  );
  const isLeftOut = (): boolean => told.skip === "visible" && skipping.checked;
  const answer = (): Answer | undefined => (isLeftOut() ? undefined : control.answer());
  const complaint = (): string => {
    if (isLeftOut()) return "";
    const given = control.answer();
    if (given === undefined) return voice.say("please_answer");
    try {
      question.value(given);
      return "";
    } catch {
      return voice.say("does_not_fit");
    }
  };
  const check = (): boolean => {
    const words = complaint();
    if (problem.textContent !== words) problem.textContent = words;
    problem.hidden = words === "";
    for (const field of control.element.querySelectorAll("[type=text], select")) field.setAttribute("aria-invalid", String(!problem.hidden));
    return problem.hidden;
  };
  const element = el(
    "fieldset", { class: "question", "aria-describedby": problem.id },
    el("legend", { dir: "auto" }, voice.text(question.name)),
    help ? el("p", { class: "hint", dir: "auto" }, help) : undefined,
    control.element,
    told.skip === "visible" && skip,
    problem,
    law(told, voice),
  );
  // What was wrong is not said any longer than it is.
  element.addEventListener("input", () => problem.hidden || check());
  const words = (spoken: Voice): string => (isLeftOut() ? spoken.say("left_out") : control.words(spoken));
  return { question, element, control, answer, words, check };
}

/** Fills in what was filled in before, in another language: the fields are the same, in the same order. */
export function carried(from: Posed, to: Posed): void {
  const fields = ({ element }: Posed) => [...element.querySelectorAll<HTMLInputElement | HTMLSelectElement>("input, select")];
  const pairs = fields(from).map((field, place) => [field, fields(to)[place]!] as const);
  for (const [field, other] of pairs) {
    other.value = field.value;
    other.dispatchEvent(new Event("input"));
  }
  for (const [field, other] of pairs) if ("checked" in field) (other as HTMLInputElement).checked = field.checked;
}

/** What will be sent of an answer, and what it can tell. */
function law(told: Told, voice: Voice): HTMLElement {
  const { epsilon, percent, bytes, same } = told;
  return el(
    "details", {},
    el("summary", {}, voice.say("what_of_this")),
    el("p", {}, same ? voice.say("same_is_sent", { same }) : voice.say("bytes_are_sent", { bytes })),
    el("p", {}, voice.say("at_most", { percent, epsilon })),
  );
}

/** All answers, before they are randomized. */
export function review(all: readonly Posed[], voice: Voice): HTMLElement {
  const rows = all.flatMap((one) => [
    el("dt", { dir: "auto" }, voice.text(one.question.name)), el("dd", { dir: "auto", ...OWN }, one.words(voice)),
  ]);
  return el("section", {}, heading(voice.say("check")), el("p", {}, voice.say("about_to_send")), el("dl", { class: "review" }, ...rows));
}

/** What was sent, next to what was said: two cards for each question. */
export function receipt(
  survey: Survey, texts: Texts, said: ReadonlyMap<string, Words>, sent: ReadonlyMap<string, Sent>, voice: Voice, taken: number,
): HTMLElement {
  const card = (key: string, words: string, own: Readonly<Record<string, string>> = {}): HTMLElement =>
    el("div", { class: key }, el("dt", {}, voice.say(key)), el("dd", own, el("bdi", {}, words)));
  const moments = [...said].filter(([name]) => sent.has(name)).flatMap(([name, words]) => {
    const { same } = texts.questions[name]!;
    return [
      el("h2", { dir: "auto" }, voice.text(name)),
      el(
        "dl", { class: "cards" },
        card("you_said", words(voice), OWN), card("was_sent", saidBy(survey.question(name), sent.get(name)!.row, voice)),
      ),
      same && el("p", { class: "hint" }, voice.say("same_is_sent", { same })),
    ];
  });
  const numbers = [...new Set([...sent.values()].map(({ id }) => id))].join(" ");
  return el(
    "section", { class: "receipt" },
    heading(voice.survey.thanks || voice.say("thanks")),
    el("p", { role: "status" }, voice.say("taken", { taken, all: sent.size })),
    ...moments,
    el("p", { class: "promise" }, voice.say("nobody_can_tell")),
    el("details", {}, el("summary", {}, voice.say("receipt")), el("p", {}, voice.say("receipt_numbers")), el("code", {}, numbers)),
    el("p", { class: "hint" }, voice.say("close_the_page")),
  );
}

/** A coin that turns while answers are randomized. */
export function turning(voice: Voice): HTMLElement {
  return el("section", {}, el("div", { class: "coin", "aria-hidden": "true" }), el("p", { role: "status" }, voice.say("sending")));
}

/** A page that only says something. */
export function notice(
  voice: Voice, key: string, work?: readonly [words: string, work: () => void], values: Readonly<Record<string, string>> = {},
): HTMLElement {
  return el(
    "section", {},
    heading(voice.survey.title), el("p", { role: "status" }, voice.say(key, values)),
    work && el("p", { class: "actions" }, button(voice.say(work[0]), work[1], "main")),
  );
}

/** What is said where the device has another time than the page's host. */
export function clockIsWrong(voice: Voice, there: number): HTMLElement {
  const words = (time: number): string => isolated(new Date(time).toLocaleString(voice.tag));
  const values = { here: words(Date.now()), there: words(there) };
  return notice(voice, "set_the_clock", ["try_again", () => location.reload()], values);
}

/** The heading of a view, which takes the focus when it comes up. */
export function heading(words: string): HTMLElement {
  return el("h1", { tabindex: "-1", dir: "auto" }, words);
}
