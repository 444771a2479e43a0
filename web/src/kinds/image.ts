import {
  base64Part,
  button,
  fileField,
  h,
  onLook,
  type AxesOnShow,
  type AxisView,
  type Input,
  type InputField,
  type InputOptions,
  type KindRow,
  type Side,
} from "../core";

import type { ImagePayload } from "./image_figure";

import "./image.css";

const drawnSide = 196;
const strokeWidth = 16;

/** Creates a black square for drawing in white. */
function drawingBoard(done: (input: Input) => void): {
  element: HTMLCanvasElement;
  clear(): void;
} {
  const element = h("canvas.drawing", {
    width: drawnSide,
    height: drawnSide,
    "aria-label": "Draw here with the pointer",
  });
  const pen = element.getContext("2d");
  const clear = () => {
    if (!pen) return;
    pen.fillStyle = "black";
    pen.fillRect(0, 0, drawnSide, drawnSide);
  };
  const at = (event: PointerEvent): [number, number] => {
    const box = element.getBoundingClientRect();
    const scale = drawnSide / box.width;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  };
  let last: [number, number] | null = null;
  const line = (to: [number, number]) => {
    if (!pen || !last) return;
    Object.assign(pen, {
      strokeStyle: "white",
      lineCap: "round",
      lineWidth: strokeWidth,
    });
    pen.beginPath();
    pen.moveTo(...last);
    pen.lineTo(...to);
    pen.stroke();
    last = to;
  };
  element.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
    last = at(event);
    line(last);
  });
  element.addEventListener("pointermove", (event) => line(at(event)));
  element.addEventListener("pointerup", () => {
    if (!last) return;
    last = null;
    const base64 = base64Part(element.toDataURL("image/png"));
    const file = { name: "drawing.png", media_type: "image/png", base64 };
    done({ text: file.name, request: { file } });
  });
  element.addEventListener("pointercancel", () => (last = null));
  clear();
  return { element, clear };
}

/** Field for a file that is chosen or dropped, or a drawing. */
function imageField(options: InputOptions): InputField {
  const field = fileField(options, "Image for the model", () => board.clear());
  const board = drawingBoard((input) => field.take(input));
  const clear = button("Clear the drawing", { class: "toggle" }, () => {
    board.clear();
    field.forget();
  });
  const choices = h("div.image-choices", field.file, field.note, clear);
  return field.within(h("div.image-field", choices, board.element));
}

/** Shows an image with its cells as overlay; opacity shows their weights. */
function showImages(side: Side, axes: AxisView[]): AxesOnShow {
  const shown = axes.map((view) => {
    const { width, height, cell, png } = view.axis.payload as ImagePayload;
    const cells = view.labels.map((label, i) => {
      const one = button(
        "",
        { class: "image-cell", "aria-label": label, title: label },
        () => side.pinAt(view, i),
      );
      onLook(
        one,
        (at) => side.hover(at),
        () => side.focusAt(view, i),
      );
      one.tabIndex = i === 0 ? 0 : -1;
      return one;
    });
    const columns = width / cell;
    const grid = h("div.image-cells", { "data-axis": view.id }, ...cells);
    grid.style.setProperty("--columns", String(columns));
    grid.addEventListener("keydown", (event) => {
      const step = {
        ArrowLeft: -1,
        ArrowRight: 1,
        ArrowUp: -columns,
        ArrowDown: columns,
      }[event.key];
      const from = cells.indexOf(event.target as HTMLButtonElement);
      const to = cells[from + (step ?? 0)];
      if (!step || from < 0 || !to) return;
      event.preventDefault();
      cells[from].tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
    });
    const picture = h("img", {
      src: `data:image/png;base64,${png}`,
      alt: view.name,
      width,
      height,
    });
    const frame = h("div.image-frame", picture, grid);
    frame.style.setProperty("--ratio", `${width} / ${height}`);
    const row = h("div.words-row", h("p.label", view.name), frame);
    return { view, cells, row };
  });
  return {
    element: h("div.images", ...shown.map(({ row }) => row)),
    paint() {
      for (const { view, cells, row } of shown) {
        row.hidden = !side.isVisible(view.id);
        side.stateOf(view).forEach(({ weight, strength, chosen }, i) => {
          cells[i].dataset.weight = String(weight ?? "");
          cells[i].style.setProperty("--w", `${Math.round(80 * strength)}%`);
          cells[i].classList.toggle("against", (weight ?? 0) < 0);
          cells[i].classList.toggle("chosen", chosen);
        });
      }
    },
  };
}

export const image: KindRow = {
  name: "image",
  input: imageField,
  items: () => "cells",
  isPictured: true,
  show: showImages,
};
