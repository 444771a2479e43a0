import { h } from "./dom";

const keys: [string[], string][] = [
  [["/"], "to the text; Enter runs it, Shift Enter begins a new line"],
  [["1", "…", "6"], "heatmap, lines, frames, computation, heads, saliency"],
  [["[", "]"], "head before and after"],
  [["{", "}"], "layer before and after"],
  [["a"], "to the alignment"],
  [["←", "→", "↑", "↓"], "from word to word, cell to cell, head to head, frame to frame"],
  [["Enter"], "keep a word or cell in focus; again to let go"],
  [["Space"], "play the frames"],
  [["n"], "numbers in the cells"],
  [["o"], "frame the cells off the diagonal"],
  [["c"], "compare with a second model"],
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
  const rows = keys.map(([names, what]) =>
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
        "A token of the row looks at the tokens of the columns with weights from 0 to 1, " +
          "which sum to 1 at most. Each layer has heads that look on their own; the mean of " +
          "heads is only a summary. Layers and heads are counted from 0, as in the API. " +
          "The address of the page holds text, model, view and head: copy it to share them.",
      ),
    ),
  );
}
