import type { Choice } from "./explanation";
import type { ViewName } from "./views/view";

/** What a link to a view holds. */
export interface PageState {
  text: string;
  model: string;
  /** The second model of a comparison. */
  other: string | null;
  view: ViewName;
  choices: (Choice | null)[];
}

export const viewNames: ViewName[] = [
  "heatmap",
  "lines",
  "frames",
  "computation",
  "heads",
  "saliency",
];

function choiceText(choice: Choice): string {
  return `${choice.layer}.${choice.head}`;
}

function parseChoice(text: string | null): Choice | null {
  const match = /^(\d{1,4})\.(mean|\d{1,4})$/.exec(text ?? "");
  if (!match) return null;
  return {
    layer: Number(match[1]),
    head: match[2] === "mean" ? "mean" : Number(match[2]),
  };
}

export function writeHash(state: PageState): string {
  const values = new URLSearchParams({ text: state.text, model: state.model });
  if (state.other !== null) values.set("with", state.other);
  values.set("view", state.view);
  state.choices.forEach((choice, i) => {
    if (choice) values.set(`head${i === 0 ? "" : i + 1}`, choiceText(choice));
  });
  return `#${values}`;
}

/** Reads a link; what it lacks or has wrong becomes the page's own beginning. */
export function readHash(hash: string): PageState {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  const view = values.get("view") as ViewName;
  return {
    text: values.get("text") ?? "",
    model: values.get("model") ?? "",
    other: values.get("with"),
    view: viewNames.includes(view) ? view : "heatmap",
    choices: [parseChoice(values.get("head")), parseChoice(values.get("head2"))],
  };
}
