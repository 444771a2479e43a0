/** A page with a kind and a view of its own: what a folder outside web/src can add. */
import {
  h,
  registerKind,
  registerView,
  type KindRow,
  type ViewRow,
} from "heed-page/core";
import { start } from "heed-page/shell";

import "./cells.css";

const cells: KindRow = {
  name: "cells",
  input({ id, prompt, submit }) {
    const element = h("input", { id, placeholder: prompt, "aria-label": prompt });
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      submit();
    });
    const read = () => ({ text: element.value, request: { text: element.value } });
    return {
      element,
      read: () => (element.value === "" ? null : read()),
      write: (text) => (element.value = text),
      focus: () => element.focus(),
    };
  },
  show(side, axes) {
    const [view] = axes;
    const buttons = view.labels.map((label, i) => {
      const button = h(
        "button",
        { type: "button", class: "cell", "data-cell": label },
        label,
      );
      button.addEventListener("click", () => side.pinAt(view, i));
      return button;
    });
    return {
      element: h("div", ...buttons),
      paint() {
        side.stateOf(view).forEach(({ weight }, i) => {
          buttons[i].dataset.weight = String(weight ?? "");
        });
      },
    };
  },
};

const sums: ViewRow = {
  name: "sums",
  title: "Sums",
  switches: [],
  accepts: (side) => (side.shown?.key.kind === "cells" ? null : "Only of cells."),
  make(side) {
    const weights = side.shown?.weights ?? [];
    const sum = (s: number) =>
      weights.reduce((total, row) => total + row[s], 0).toFixed(2);
    const list = (weights[0] ?? []).map((_, s) => h("li.sum", sum(s)));
    return { element: h("ul", ...list), pictures: () => [] };
  },
};

registerKind(cells);
registerView(sums);
start();
