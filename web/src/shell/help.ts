import { button, h } from "../core";

/** Keys separated by spaces, their description, and their action. Keys without an
 * action are handled by a view. */
export type Shortcut = [keys: string, what: string, work?: (key: string) => void];

const terms =
  "A row attends to the columns with weights from 0 to 1, which sum to 1 at most. Each layer " +
  "has heads that attend on their own; the mean of heads is only a summary. Layers and heads " +
  "are counted from 0, as in the API. Colours are absolute (0 to 1), by row or by picture, as " +
  "the legend says; automatic is absolute unless no weight is above 0.3. The address of the " +
  "page holds text, model, view and head: copy it to share them.";

/** Fills the help dialog. */
export function fillHelp(dialog: HTMLDialogElement, shortcuts: Shortcut[]): void {
  const close = button("Close", { autofocus: true }, () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  const rows = shortcuts.map(([keys, what]) => {
    const names = keys.split(" ").map((name) => h("kbd", name));
    return h("tr", h("th", { scope: "row" }, ...names), h("td", what));
  });
  dialog.append(
    h("div.card-head.row", h("h2", { id: "help-title" }, "Keys"), close),
    h("table", h("tbody", ...rows)),
    h("h2", "Terms"),
    h("p.note", terms),
  );
}
