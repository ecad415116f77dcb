/** What the page says, as `ldp survey page` writes it: words by language, and the figures of `ldp explain` by question. */

/** Texts of a survey in one language; what is left out is that of the survey file. */
export interface Spoken {
  readonly title: string;
  readonly asked_by: string;
  readonly purpose: string;
  readonly contact: string;
  readonly thanks: string;
  readonly questions: Readonly<Record<string, Asked>>;
}

/** A question in one language. */
export interface Asked {
  readonly text: string;
  readonly help: string;
  /** What values are called, and fields, as `FIELD` or `FIELD.VALUE`. */
  readonly labels: Readonly<Record<string, string>>;
}

/** What one report can tell, in figures. */
export interface Figures {
  readonly epsilon: string;
  /** How likely an answer can come to look, at most, that was thought 50 % likely. */
  readonly percent: string;
  readonly bytes: number;
  /** Of how many in a hundred the very answer is sent; empty where reports are no answers. */
  readonly same: string;
}

export interface Told extends Figures {
  /** `required`; `visible`, where leaving it out shows; or `refusal`, where a value stands for it. */
  readonly skip: "required" | "visible" | "refusal";
  /** The value that stands for "rather not say". */
  readonly refusal: string;
  readonly widget: "slider" | "field";
  /** Texts to choose from, of an open vocabulary. */
  readonly candidates: readonly string[];
}

export interface Language {
  /** What it is called in itself. */
  readonly name: string;
  readonly direction: "ltr" | "rtl";
  readonly words: Readonly<Record<string, string>>;
  readonly survey: Spoken;
}

export interface Texts {
  /** By tag, such as `en`; the first is the survey's own. */
  readonly languages: Readonly<Record<string, Language>>;
  readonly questions: Readonly<Record<string, Told>>;
  readonly total: Pick<Figures, "epsilon" | "percent">;
  readonly one_by_one: boolean;
  /** The collector's address; empty where it is that of the page. */
  readonly collector: string;
  /** Whether it counts how many were shown the page, and began. */
  readonly counted: boolean;
  /** Whether only those who have a token may answer. */
  readonly invited: boolean;
  /** Origins whose pages may frame this one. */
  readonly parents: readonly string[];
}

/** Words that keep their own direction within those of another one. */
export function isolated(words: string): string {
  return `\u2068${words}\u2069`;
}

/** One language, and how to speak it. */
export class Voice {
  constructor(readonly tag: string, private readonly texts: Texts) {}

  get language(): Language {
    return this.texts.languages[this.tag]!;
  }

  get survey(): Spoken {
    return this.language.survey;
  }

  /** Words with what stands in braces filled in. */
  say(key: string, values: Readonly<Record<string, string | number>> = {}): string {
    const words = this.language.words[key] ?? key;
    return words.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
  }

  /** The text of a question, or its name. */
  text(name: string): string {
    return this.asked(name)?.text || name;
  }

  asked(name: string): Asked | undefined {
    return this.survey.questions[name];
  }

  /** What a value of a question, or of one of its fields, is called. */
  label(question: string, value: string, field = ""): string {
    const labels = this.asked(question)?.labels ?? {};
    const own = labels[field ? `${field}.${value}` : value];
    if (own !== undefined) return own;
    return { true: this.say("yes"), false: this.say("no") }[value] ?? value;
  }
}

/** The language to begin with: one that is asked for, or that the browser prefers, or the survey's own. */
export function chosenLanguage(texts: Texts, asked: string | null, preferred: readonly string[]): string {
  const known = Object.keys(texts.languages);
  const wanted = [asked ?? "", ...preferred].map((tag) => tag.toLowerCase());
  const fitting = wanted.flatMap((tag) => known.filter((own) => own.toLowerCase() === tag || own === tag.split("-")[0]));
  return fitting[0] ?? known[0]!;
}
