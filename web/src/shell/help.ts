import { h } from "../core/dom";
import { allViews } from "../core/registry";

const keys = (views: string[]): [string[], string][] => [
  [["/"], "to the text; Enter runs it, Shift Enter begins a new line"],
  [["1", "…", String(views.length)], views.join(", ").toLowerCase()],
  [["[", "]"], "head before and after"],
  [["{", "}"], "layer before and after"],
  [["a"], "to the attention that speaks for the answer"],
  [[",", "."], "part before and after, of a text that was run in parts"],
  [["←", "→", "↑", "↓"], "from word to word, cell to cell, head to head, frame to frame"],
  [["Enter"], "keep a word or cell in focus; again to let go"],
  [["Space"], "play the frames"],
  [["n"], "numbers in the cells"],
  [["o"], "frame the phrases that moved"],
  [["w"], "whole words instead of their pieces"],
  [["c"], "compare with another model, text or answer"],
  [["s"], "save as SVG; Shift S as PNG"],
  [["t"], "light or dark"],
  [["Esc"], "let go of everything"],
  [["?"], "this help"],
];

/** Puts the help into its dialog. */
export function fillHelp(dialog: HTMLDialogElement): void {
  const close = h("button", { type: "button", class: "plain", autofocus: true }, "Close");
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  const rows = keys(allViews().map(({ title }) => title)).map(([names, what]) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, ...names.map((name) => h("kbd", {}, name))),
      h("td", {}, what),
    ),
  );
  dialog.replaceChildren(
    h(
      "div",
      { class: "help" },
      h("div", { class: "card-head" }, h("h2", { id: "help-title" }, "Keys"), close),
      h("table", {}, h("tbody", {}, ...rows)),
      h("h2", {}, "Terms"),
      h(
        "p",
        {},
        "A row attends to the columns with weights from 0 to 1, which sum to 1 at most. Each " +
          "layer has heads that attend on their own; the mean of heads is only a summary. " +
          "Layers and heads are counted from 0, as in the API. Colours are absolute (0 to 1), " +
          "by row or by picture, as the legend says; automatic is absolute unless no weight " +
          "is above 0.3. The address of the page holds text, model, view and head: copy it " +
          "to share them.",
      ),
    ),
  );
}
