/** Elements, made without markup: no text is ever taken for anything else. */

type Child = Node | string | undefined | false;
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** An element with attributes and children; what is undefined or false is left out. */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name, attributes: Attributes = {}, ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}

/** A button that does something. */
export function button(words: string, work: () => void, kind = "plain"): HTMLButtonElement {
  const made = el("button", { type: "button", class: kind }, words);
  made.addEventListener("click", work);
  return made;
}

let last = 0;

/** An id that no other element has. */
export function newId(): string {
  last += 1;
  return `e${last}`;
}
