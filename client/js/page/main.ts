/**
 * The respondents' page: who asks, what will be sent, the questions, and the receipt.
 *
 * - What is answered is held by this page and by nothing else, until it is randomized; it is let go of when it was sent, and
 *   when the page is left. No cookie, no address, no storage has any of it; what the browser's store has are reports and the
 *   ledger.
 * - What is asked of the network is the same whatever is answered: the files of the page, that it was shown and begun, and a
 *   report for each question or group.
 * - A token stands behind the `#` of a link, which is never sent along with a page's address. It is moved from there to the
 *   state of the tab's history, so that the page may be loaded anew.
 */

import { readSurvey } from "../src/all.js";
import type { Answer, Question, Survey } from "../src/survey.js";
import { AlreadyAnsweredError, StateError } from "../src/errors.js";
import { isWrong, timeOf } from "./clock.js";
import { Device } from "./device.js";
import { button, el } from "./elements.js";
import { type Texts, Voice, chosenLanguage } from "./texts.js";
import { type Posed, type Words, carried, clockIsWrong, introduction, notice, posed, receipt, review, turning } from "./views.js";

/** Milliseconds that a coin turns for, at least. */
const COIN = 1_200;

const root = document.querySelector("main")!;

/** A file of the page, if it is the one that the page was made with. */
async function fetched(name: "survey" | "texts"): Promise<{ readonly text: string; readonly time: number }> {
  const { [name]: place = "", [`${name}Integrity`]: integrity = "" } = root.dataset;
  // Asked for anew, as what lies in a cache bears the time at which it came there.
  const response = await fetch(place, { integrity, credentials: "omit", cache: "no-cache" });
  if (!response.ok) throw new Error(`expected ${place}, got status ${response.status}`);
  return { text: await response.text(), time: timeOf(response.headers) };
}

class Page {
  readonly #survey: Survey;
  readonly #texts: Texts;
  readonly #device: Device;
  #voice: Voice;
  #hasBegun = false;
  #asked: readonly Question[] = [];
  /** What the view shows again, in another language. */
  #again: () => void = () => undefined;

  constructor(survey: Survey, texts: Texts, private readonly token: string, language: string | null) {
    [this.#survey, this.#texts] = [survey, texts];
    const collector = texts.collector || new URL(".", location.href).href.replace(/\/s\/[^/]*\/$/, "");
    this.#device = new Device(survey, collector.replace(/\/$/, ""), token);
    this.#voice = new Voice(chosenLanguage(texts, language, navigator.languages), texts);
  }

  /** What is shown at first; the time is that of the page's host. */
  async begin(time: number): Promise<void> {
    if (this.#texts.counted) this.#device.tell("shown");
    if (this.#texts.invited && !this.token) this.#show(() => notice(this.#voice, "needs_link"));
    else if (isWrong(Date.now(), time, this.#survey.epoch)) this.#show(() => clockIsWrong(this.#voice, time));
    else await this.#work(() => this.#open());
  }

  /** What waits here is sent, who has answered is told so, and all others are asked. */
  async #open(): Promise<void> {
    if (await this.#device.waiting()) await this.#device.send();
    if (await this.#device.waiting()) this.#wait(() => this.#open());
    else if (this.#device.isRefused) this.#refused();
    else if (await this.#device.answered()) this.#show(() => notice(this.#voice, "answered_before"));
    else this.#show(() => introduction(this.#voice, this.#survey, this.#texts, () => void this.#work(() => this.#start())));
  }

  /** Says that reports wait here; what to do when somebody tries again. */
  #wait(again: () => Promise<void>): void {
    const tryAgain = (): void => {
      this.#show(() => notice(this.#voice, "trying"), true);
      void this.#work(again);
    };
    const key = this.#device.isUnknown ? "link_unknown" : "waits";
    this.#show(() => notice(this.#voice, key, ["try_again", tryAgain]), true);
  }

  /** Says that the collector has taken none of the reports, and will not. */
  #refused(): void {
    const key = this.#device.isOfAnotherTime ? "not_of_now" : "not_taken";
    this.#show(() => notice(this.#voice, key), true);
  }

  /** Does what may fail, and says why it did, as far as that is of use. */
  async #work(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#show(() => notice(this.#voice, wordsFor(error)), true);
    }
  }

  /** Shows a view, which can be made anew for another language. */
  #show(view: () => HTMLElement, isToFocus = false): void {
    this.#again = () => this.#show(view);
    this.#spoken();
    root.replaceChildren(...this.#languages(), view());
    if (isToFocus) root.querySelector<HTMLElement>("h1, legend")?.focus();
    document.body.dataset["ready"] = "";
  }

  /** Says in which language the page is. */
  #spoken(): void {
    const { tag, language, survey } = this.#voice;
    Object.assign(document.documentElement, { lang: tag, dir: language.direction });
    document.title = survey.title;
  }

  /** A choice of languages, where there are several. */
  #languages(): HTMLElement[] {
    const tags = Object.entries(this.#texts.languages);
    if (tags.length < 2) return [];
    const links = tags.map(([tag, { name }]) => {
      const choice = button(name, () => this.#speak(tag), "language");
      choice.lang = tag;
      if (tag === this.#voice.tag) choice.setAttribute("aria-current", "true");
      return choice;
    });
    return [el("nav", { "aria-label": this.#voice.say("language") }, ...links)];
  }

  #speak(tag: string): void {
    this.#voice = new Voice(tag, this.#texts);
    this.#again();
  }

  async #start(): Promise<void> {
    if (this.#texts.counted && !this.#hasBegun) this.#device.tell("started");
    this.#hasBegun = true;
    this.#asked = await this.#device.asked();
    addEventListener("beforeunload", asks);
    this.#step(this.#posed(), 0);
  }

  #posed(): ReadonlyMap<string, Posed> {
    return new Map(this.#asked.map((question) => [
      question.name, posed(question, this.#texts.questions[question.name]!, this.#voice),
    ]));
  }

  #step(all: ReadonlyMap<string, Posed>, at: number): void {
    const voice = this.#voice;
    const questions = this.#asked.map(({ name }) => name);
    const steps = this.#texts.one_by_one ? stepsOf(questions, this.#survey.groups) : [questions];
    const names = steps[at];
    this.#again = () => {
      const fresh = this.#posed();
      for (const [name, one] of fresh) carried(all.get(name)!, one);
      this.#step(fresh, at);
    };
    const back = button(voice.say("back"), () => this.#step(all, at - 1));
    const progress = el(
      "div", { class: "progress" },
      el("progress", { max: steps.length + 1, value: at + 1, "aria-label": voice.say("progress") }),
      el("small", {}, voice.say("step_of", { step: at + 1, all: steps.length + 1 })),
    );
    const shown = (names ?? []).map((name) => all.get(name)!);
    const next = (): void => {
      const wrong = shown.filter((one) => !one.check());
      if (!wrong.length) this.#step(all, at + 1);
      else wrong[0]!.element.querySelector<HTMLElement>("input, select")?.focus();
    };
    const content = names
      ? el("section", {}, ...together(names, this.#survey, voice), ...shown.map(({ element }) => element))
      : review([...all.values()], voice);
    const forward = names
      ? button(voice.say("next"), next, "main")
      : button(voice.say("send"), () => void this.#work(() => this.#send([...all.values()])), "main");
    content.append(el("p", { class: "actions" }, at > 0 && back, forward));
    const title = names ? [el("h1", { class: "small", dir: "auto" }, voice.survey.title)] : [];
    this.#spoken();
    root.replaceChildren(...this.#languages(), progress, ...title, content);
    const first = root.querySelector<HTMLElement>("legend, h1:not(.small)")!;
    first.tabIndex = -1;
    first.focus();
  }

  async #send(all: readonly Posed[]): Promise<void> {
    const answers = new Map<string, Answer>();
    const said = new Map<string, Words>();
    for (const one of all) {
      const answer = one.answer();
      if (answer === undefined) continue;
      answers.set(one.question.name, answer);
      said.set(one.question.name, one.words);
    }
    removeEventListener("beforeunload", asks);
    this.#show(() => turning(this.#voice));
    await Promise.all([this.#device.answer(answers), turned()]);
    await this.#shown(said);
  }

  async #shown(said: ReadonlyMap<string, Words>): Promise<void> {
    const { sent, taken } = this.#device;
    if (await this.#device.waiting()) {
      this.#wait(async () => {
        await this.#device.send();
        await this.#shown(said);
      });
    } else if (this.#device.isRefused) this.#refused();
    else if (this.#device.isOutOfSight) {
      sent.clear();
      await this.#open();
    } else this.#show(() => receipt(this.#survey, this.#texts, said, sent, this.#voice, taken), true);
  }
}

/** As long as a coin turns, whatever is answered; at once for those who want no motion. */
function turned(): Promise<void> {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  return new Promise((resolve) => setTimeout(resolve, isStill ? 0 : COIN));
}

/** What is said of an error. */
function wordsFor(error: unknown): string {
  // Another tab was quicker.
  if (error instanceof AlreadyAnsweredError) return "answered_before";
  return error instanceof StateError ? "needs_storage" : "cannot_be_asked";
}

/** Which questions are shown at once: one, or all of a group. */
function stepsOf(names: readonly string[], groups: readonly (readonly string[])[]): string[][] {
  const steps: string[][] = [];
  for (const name of names) {
    const group = groups.find((members) => members.includes(name));
    if (!group) steps.push([name]);
    else if (group.find((member) => names.includes(member)) === name) steps.push([...group]);
  }
  return steps;
}

/** What is said of questions that are answered together. */
function together(names: readonly string[], survey: Survey, voice: Voice): HTMLElement[] {
  const isGroup = survey.groups.some((group) => group.length === names.length && group.every((name) => names.includes(name)));
  return isGroup ? [el("p", { class: "hint" }, voice.say("answered_together"))] : [];
}

/** Whether the page stands in a frame of a page that may frame it, or in none. */
function isFramedWell(parents: readonly string[]): boolean {
  if (window === window.top) return true;
  const above = location.ancestorOrigins ?? [new URL(document.referrer || "about:blank").origin];
  return above.length > 0 && [...above].every((origin) => parents.includes(origin));
}

/** The token of a link, or of the page that was loaded anew: addresses are what others find in a browser's history. */
function tokenOf(asked: URLSearchParams): string {
  const token = asked.get("token");
  if (!token) return (history.state as { readonly token?: string } | null)?.token ?? "";
  asked.delete("token");
  const rest = String(asked) && `#${String(asked)}`;
  history.replaceState({ token }, "", location.pathname + location.search + rest);
  return token;
}

/** Says why there is no page to be shown. */
function fail(words: string | HTMLElement): void {
  root.querySelector("#waiting")?.replaceChildren(words);
  root.querySelector("#stuck")?.remove();
  document.body.dataset["failed"] = "";
}

/** Has the browser ask before a page is left on which something may be filled in. */
function asks(event: Event): void {
  event.preventDefault();
}

async function begin(): Promise<void> {
  const asked = new URLSearchParams(location.hash.slice(1));
  const token = tokenOf(asked);
  const texts = JSON.parse((await fetched("texts")).text) as Texts;
  if (location.protocol === "http:" && !isSecureContext) {
    const voice = new Voice(chosenLanguage(texts, asked.get("lang"), navigator.languages), texts);
    fail(el("span", { lang: voice.tag, dir: voice.language.direction }, voice.say("needs_https")));
    return;
  }
  if (!isFramedWell(texts.parents)) throw new Error("expected to stand in no frame, or in one of a parent that is named");
  const { text, time } = await fetched("survey");
  await new Page(await readSurvey(text), texts, token, asked.get("lang")).begin(time);
}

// What was answered goes with the page: it is not put aside, to be shown again.
addEventListener("pagehide", () => root.replaceChildren());
// Another link to the same page, with another token.
addEventListener("hashchange", () => location.reload());
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
begin().catch(() => fail(root.dataset["failed"] ?? ""));
