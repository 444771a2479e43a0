import { button, byId, checkExplanation, directionOf, h, titleOf } from "../core";
import type { Explanation } from "../core";

/** Returns the title of an explanation in one line. */
export function nameOf({ text, answer, axes, segments }: Explanation): string {
  const { kind } = axes[segments[0].axes[0]] ?? { kind: "" };
  return titleOf(kind, text) || titleOf(kind, answer) || "Attention";
}

/** Returns the explanations embedded in a page in a file; null: there is a server. */
export function carriedTexts(): Explanation[] | null {
  const data = document.getElementById("heed-explanations");
  if (!data) return null;
  const all = JSON.parse(data.textContent ?? "[]") as unknown[];
  return all.map((one) => checkExplanation(one));
}

/** Shows a list of explanations instead of the form. */
export function listTexts(all: Explanation[], choose: (index: number) => void): void {
  const list = byId("texts");
  byId("api").hidden = true;
  list.hidden = all.length < 2;
  const buttons = all.map((explanation, i) => {
    const line = nameOf(explanation);
    return button(line, { dir: directionOf([line]) }, () => choose(i));
  });
  list.replaceChildren(h("p.label", `${all.length} texts`), ...buttons);
}

export function markText(index: number): void {
  byId("texts")
    .querySelectorAll("button")
    .forEach((one, i) => one.setAttribute("aria-current", String(i === index)));
}
