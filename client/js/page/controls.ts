/** What an answer is given with, by the type of its question. Nothing in it has a value that a browser would keep. */

import type { CompiledChoices } from "../src/compiled.js";
import type { Answer, Question } from "../src/survey.js";
import { el, newId } from "./elements.js";
import { type Told, type Voice, isolated } from "./texts.js";

/** An element, and what was answered with it: undefined if nothing was, yet. */
export interface Control {
  readonly element: HTMLElement;
  answer(): Answer | undefined;
  /** The answer in words of a language, that of the control or another one. */
  words(voice: Voice): string;
}

/** What there is to choose from, in a question or in one of its fields. */
interface Choosing extends Pick<CompiledChoices, "name" | "type" | "values" | "scale"> {
  readonly question: string;
  /** The name of the field; empty for a question. */
  readonly field: string;
  /** The node above each value, and above each node that has any, where values are leaves of a tree. */
  readonly parents: ReadonlyMap<string, string> | undefined;
}

const MOST_BUTTONS = 12;
/** No browser keeps or offers what was typed or chosen before. */
const QUIET = { autocomplete: "off", autocorrect: "off", autocapitalize: "off", spellcheck: "false" };

/** The control of a question. */
export function controlOf(question: Question, told: Told, voice: Voice): Control {
  const { name, type, values, scale, parents } = question;
  const asked: Choosing = { name, type, values, scale, parents, question: name, field: "" };
  if (question.fields) return fields(question, told, voice);
  if (question.type === "multi") return several(asked, question, voice);
  if (question.type === "key-value") return pairs(asked, question, told, voice);
  return one(asked, told, voice);
}

function one(asked: Choosing, told: Told, voice: Voice): Control {
  const { type, values, scale } = asked;
  if (type === "text" && !values) return text(asked, told, voice);
  if (type === "number" && scale) return number(scaleEnds(scale), told, voice);
  if (type === "integer" && values) return number({ low: values[0]!, high: values.at(-1)!, step: "1", unit: "" }, told, voice);
  const listed = sorted(values ?? [], told);
  return listed.length > MOST_BUTTONS || asked.parents ? menu(asked, listed, voice) : buttons(asked, listed, told, voice);
}

/** Yes before no, and a refusal last. */
function sorted(values: readonly string[], told: Told): readonly string[] {
  const order = values.join() === "false,true" ? ["true", "false"] : [...values];
  return [...order.filter((value) => value !== told.refusal), ...order.filter((value) => value === told.refusal)];
}

function buttons(asked: Choosing, values: readonly string[], told: Told, voice: Voice): Control {
  const name = newId();
  const inputs = values.map((value) => el("input", { type: "radio", name, value, ...QUIET }));
  const labels = inputs.map((input, place) => {
    const kind = values[place] === told.refusal ? "choice refusal" : "choice";
    return el("label", { class: kind }, input, el("bdi", {}, voice.label(asked.question, values[place]!, asked.field)));
  });
  const chosen = (): string | undefined => values[inputs.findIndex((input) => input.checked)];
  return {
    element: el("div", { class: "choices" }, ...labels),
    answer: () => typed(asked, chosen()),
    words: (spoken) => wordsFor(asked, chosen(), spoken),
  };
}

function menu(asked: Choosing, values: readonly string[], voice: Voice): Control {
  const [listed, entries] = [[] as string[], [] as HTMLElement[]];
  for (const [above, members] of grouped(values, asked, voice)) {
    const options = members.map((value) => el("option", { value }, voice.label(asked.question, value, asked.field)));
    listed.push(...members);
    entries.push(...(above ? [el("optgroup", { label: above }, ...options)] : options));
  }
  const select = el(
    "select", { "aria-label": voice.text(asked.question), ...QUIET }, el("option", { value: "" }, voice.say("choose")), ...entries,
  );
  const chosen = (): string | undefined => listed[select.selectedIndex - 1];
  return {
    element: select,
    answer: () => typed(asked, chosen()),
    words: (spoken) => wordsFor(asked, chosen(), spoken),
  };
}

/** Values by what stands above them in their tree, from the top; all under nothing where there is none. */
function grouped(values: readonly string[], { question, parents }: Choosing, voice: Voice): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const value of values) {
    const path: string[] = [];
    for (let node = parents?.get(value); node !== undefined; node = parents?.get(node)) path.unshift(voice.label(question, node));
    const above = path.join(" · ");
    const members = groups.get(above);
    if (members) members.push(value);
    else groups.set(above, [value]);
  }
  return groups;
}

function text(asked: Choosing, told: Told, voice: Voice): Control {
  const id = newId();
  const input = el("input", {
    type: "text", list: told.candidates.length ? id : undefined, "aria-label": voice.text(asked.question), ...QUIET,
  });
  const list = el("datalist", { id }, ...told.candidates.map((value) => el("option", { value })));
  return {
    element: el("div", {}, input, told.candidates.length > 0 && list),
    answer: () => input.value.trim() || undefined,
    words: () => input.value.trim(),
  };
}

interface Ends {
  readonly low: string;
  readonly high: string;
  readonly step: string;
  readonly unit: string;
}

/** A field for a number, and a slider that goes with it, where that is wanted. */
function number(ends: Ends, told: Told, voice: Voice): Control {
  const { low, high, step, unit } = ends;
  const hint = newId();
  const field = el("input", { type: "text", inputmode: "decimal", "aria-describedby": hint, "aria-label": voice.say("number"), ...QUIET });
  const slider = el("input", { type: "range", min: low, max: high, step, "aria-label": voice.say("slider"), ...QUIET });
  const exact = (): string => digits(field.value);
  // Without a number the slider shows none: wherever it stood would be a hint.
  const follow = (): void => {
    const given = numberOf(exact());
    const isWithin = given !== undefined && Number(given) >= Number(low) && Number(given) <= Number(high);
    slider.value = isWithin ? String(given) : String((Number(low) + Number(high)) / 2);
    slider.classList.toggle("empty", !isWithin);
    if (isWithin) slider.removeAttribute("aria-valuetext");
    else slider.setAttribute("aria-valuetext", voice.say("no_number"));
  };
  const take = (): void => {
    field.value = slider.value;
    follow();
  };
  slider.addEventListener("input", take);
  // In the middle nothing changes, and it is chosen all the same.
  slider.addEventListener("click", take);
  field.addEventListener("input", follow);
  follow();
  return {
    element: el(
      "div", { class: "number" },
      told.widget === "slider" && slider,
      el("span", {}, field, unit && ` ${unit}`),
      el("small", { id: hint }, voice.say("from_to", { low, high })),
    ),
    // A whole number as one, so that all digits count.
    answer: () => numberOf(exact()),
    words: () => `${exact()}${unit && ` ${unit}`}`,
  };
}

/** Digits as most programs write them: those of Arabic and Persian stand for the same numbers. */
function digits(typed: string): string {
  const latin = typed.replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) % 16));
  return latin.trim().replace("\u066b", ".").replace(/^([+-]?\d+),(\d+)$/, "$1.$2");
}

function numberOf(written: string): bigint | number | undefined {
  if (/^[+-]?\d{1,18}$/.test(written)) return BigInt(written.replace("+", ""));
  return /^[+-]?\d+\.\d+$/.test(written) ? Number(written) : undefined;
}

function scaleEnds({ low, step, size, edges, unit }: NonNullable<CompiledChoices["scale"]>): Ends {
  if (edges) return { low: decimal(edges[0]!), high: decimal(edges.at(-1)!), step: "any", unit };
  const high = valueOf(low!) + valueOf(step!) * (Number(size) - 1);
  return { low: decimal(low!), high: String(high), step: decimal(step!), unit };
}

function valueOf(fraction: string): number {
  const [top, bottom = "1"] = fraction.split("/");
  return Number(top) / Number(bottom);
}

function decimal(fraction: string): string {
  return String(valueOf(fraction));
}

function several(asked: Choosing, question: Question, voice: Voice): Control {
  const values = asked.values ?? [];
  const most = question.randomizer.most ?? values.length;
  const inputs = values.map((value) => el("input", { type: "checkbox", value, ...QUIET }));
  const labels = inputs.map((input, place) => (
    el("label", { class: "choice" }, input, el("bdi", {}, voice.label(asked.question, values[place]!)))
  ));
  const none = el("input", { type: "checkbox", ...QUIET });
  const chosen = (): string[] => values.filter((_, place) => inputs[place]!.checked);
  none.addEventListener("change", () => none.checked && inputs.forEach((input) => (input.checked = false)));
  inputs.forEach((input) => input.addEventListener("change", () => input.checked && (none.checked = false)));
  return {
    element: el(
      "div", { class: "choices" },
      most < values.length && el("p", { class: "hint" }, voice.say("up_to", { most })),
      ...labels,
      el("label", { class: "choice refusal" }, none, el("span", {}, voice.say("none_of_these"))),
    ),
    answer: () => (chosen().length || none.checked ? chosen() : undefined),
    words: (spoken) => chosen().map((value) => isolated(spoken.label(asked.question, value))).join(", ") || spoken.say("none_of_these"),
  };
}

/** Keys, each with a field for its number that counts once the key is chosen. */
function pairs(asked: Choosing, question: Question, told: Told, voice: Voice): Control {
  const keys = asked.values ?? [];
  const ends = scaleEnds(asked.scale!);
  const rows = keys.map((key) => {
    const box = el("input", { type: "checkbox", ...QUIET });
    const amount = number(ends, { ...told, widget: "field" }, voice);
    const field = amount.element.querySelector("input")!;
    field.setAttribute("aria-label", voice.label(asked.question, key));
    field.addEventListener("input", () => (box.checked = field.value !== ""));
    const label = el("label", { class: "choice" }, box, el("bdi", {}, voice.label(asked.question, key)));
    return { key, box, amount, element: el("div", { class: "pair" }, label, amount.element) };
  });
  const none = el("input", { type: "checkbox", ...QUIET });
  none.addEventListener("change", () => none.checked && rows.forEach(({ box }) => (box.checked = false)));
  const chosen = () => rows.filter(({ box }) => box.checked);
  const answer = (): Answer | undefined => {
    const given = chosen().map(({ key, amount }) => [key, amount.answer()] as const);
    const isWhole = given.length > 0 || none.checked;
    if (!isWhole || given.some(([, amount]) => amount === undefined)) return undefined;
    return Object.fromEntries(given) as Readonly<Record<string, number | bigint>>;
  };
  const most = question.randomizer.most ?? keys.length;
  return {
    element: el(
      "div", { class: "choices" },
      most < keys.length && el("p", { class: "hint" }, voice.say("up_to", { most })),
      ...rows.map(({ element }) => element),
      el("label", { class: "choice refusal" }, none, el("span", {}, voice.say("none_of_these"))),
    ),
    answer,
    words: (spoken) => {
      const each = chosen().map(({ key, amount }) => isolated(`${spoken.label(asked.question, key)}: ${amount.words(spoken)}`));
      return each.join(", ") || spoken.say("none_of_these");
    },
  };
}

/** A control for each field. */
function fields(question: Question, told: Told, voice: Voice): Control {
  const parts = question.fields!.map((field) => {
    const control = one({ ...field, question: question.name, field: field.name, parents: undefined }, told, voice);
    const heading = (spoken: Voice): string => spoken.asked(question.name)?.labels[field.name] ?? (field.text || field.name);
    return { field, control, heading, element: el("fieldset", {}, el("legend", {}, heading(voice)), control.element) };
  });
  return {
    element: el("div", { class: "fields" }, ...parts.map(({ element }) => element)),
    answer: () => {
      const given = parts.map(({ field, control }) => [field.name, control.answer()] as const);
      return given.some(([, answer]) => answer === undefined) ? undefined : (Object.fromEntries(given) as Answer);
    },
    words: (spoken) => parts.map(({ heading, control }) => isolated(`${heading(spoken)}: ${control.words(spoken)}`)).join("; "),
  };
}

function typed({ type }: Choosing, value: string | undefined): Answer | undefined {
  if (value === undefined || type !== "boolean") return value;
  return value === "true";
}

function wordsFor({ question, field }: Choosing, value: string | undefined, voice: Voice): string {
  return value === undefined ? "" : voice.label(question, value, field);
}
