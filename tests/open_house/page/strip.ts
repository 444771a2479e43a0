/** Strips of coloured cells: input field and display. */
import {
  button,
  h,
  type AxesOnShow,
  type AxisView,
  type InputField,
  type InputOptions,
  type KindRow,
  type Side,
} from "heed-page/core";

import "./strip.css";

/** Input field for cells as letters, which are sent as the bytes of a file. */
function stripField({ id, prompt, mediaTypes, submit }: InputOptions): InputField {
  const element = h("input", { id, placeholder: prompt, "aria-label": prompt });
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    submit();
  });
  return {
    element,
    read() {
      const text = element.value.trim();
      if (text === "") return null;
      const file = { base64: btoa(text), media_type: mediaTypes[0], name: text };
      return { text, request: { file } };
    },
    write: (text) => (element.value = text),
    focus: () => element.focus(),
  };
}

/** Shows each axis as a row of coloured cells; attended cells are framed. */
function showStrips(side: Side, axes: AxisView[]): AxesOnShow {
  const rows = axes.map((view) => {
    const { colours } = view.axis.payload as { colours: string[] };
    const cells = colours.map((colour, i) => {
      const cell = button(view.labels[i], { class: "strip-cell" }, () =>
        side.pinAt(view, i),
      );
      cell.dataset.colour = colour;
      cell.addEventListener("pointerenter", () => side.hover(side.focusAt(view, i)));
      cell.addEventListener("pointerleave", () => side.hover(null));
      return cell;
    });
    return { view, cells };
  });
  return {
    element: h(
      "div",
      { class: "strips" },
      ...rows.map(({ view, cells }) =>
        h("div", { class: "words-row" }, h("p", { class: "label" }, view.name), ...cells),
      ),
    ),
    paint() {
      for (const { view, cells } of rows) {
        side.stateOf(view).forEach(({ weight, strength, chosen }, i) => {
          cells[i].dataset.weight = String(weight ?? "");
          cells[i].style.setProperty("--strength", String(strength));
          cells[i].classList.toggle("chosen", chosen);
        });
      }
    },
  };
}

export const strip: KindRow = { name: "strip", input: stripField, show: showStrips };
