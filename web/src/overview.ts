import { h, rove } from "./dom";
import {
  headFigure,
  headName,
  layerName,
  weightsOf,
  type AttentionLayer,
  type Rows,
} from "./explanation";
import type { Side } from "./side";
import { shortNumber } from "./statistics";
import { palette } from "./theme";

export type Shown = "weights" | "entropy" | "distance";

interface Cell {
  layer: number;
  head: number | "mean";
  button: HTMLButtonElement;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

/** One pixel for each weight; the browser stretches it. */
export function paintThumbnail(canvas: HTMLCanvasElement, weights: Rows): void {
  const width = Math.max(1, weights[0]?.length ?? 0);
  const height = Math.max(1, weights.length);
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) return;
  const colours = palette();
  const [ink, field] = [channels(colours.ink), channels(colours.field)];
  const image = context.createImageData(width, height);
  let at = 0;
  for (const row of weights) {
    for (let s = 0; s < width; ++s) {
      const weight = Math.min(1, row[s] || 0);
      for (let c = 0; c < 3; ++c) {
        image.data[at++] = field[c] + (ink[c] - field[c]) * weight;
      }
      image.data[at++] = 255;
    }
  }
  context.putImageData(image, 0, 0);
}

/** All layers and heads as small pictures, to see at a glance and to choose from. */
export class Overview {
  readonly element: HTMLElement;
  private readonly cells: Cell[][] = [];
  private readonly grid: HTMLElement;

  constructor(
    private readonly side: Side,
    private shown: Shown,
    onShown: (shown: Shown) => void,
  ) {
    const choices: [Shown, string][] = [
      ["weights", "Maps"],
      ["entropy", "Entropy"],
      ["distance", "Distance"],
    ];
    const buttons = choices.map(([value, name]) => {
      const button = h(
        "button",
        { type: "button", "aria-pressed": value === shown },
        name,
      );
      button.addEventListener("click", () => onShown(value));
      return button;
    });
    this.grid = h("div", {
      class: "heads",
      role: "grid",
      "aria-label": "Layers and heads",
    });
    this.element = h(
      "aside",
      { class: "overview card", "aria-label": "Layers and heads" },
      h(
        "div",
        { class: "card-head" },
        h("h2", {}, "Layers and heads"),
        h(
          "div",
          { class: "segmented", role: "group", "aria-label": "Shown" },
          ...buttons,
        ),
      ),
      this.grid,
    );
    choices.forEach(([value], i) => {
      buttons[i].setAttribute("aria-pressed", String(value === shown));
    });
    const { layers } = side.explanation;
    if (layers.length > 0 && layers.every((layer) => layer.heads === layers[0].heads)) {
      this.nameHeads(layers[0].heads);
    }
    layers.forEach((layer, l) => this.addRow(layer, l));
    this.paint();
  }

  /** The heads' numbers, once, where all layers have as many. */
  private nameHeads(heads: number): void {
    if (heads === 1) return;
    const names = ["mean", ...Array.from({ length: heads }, (_, head) => String(head))];
    const row = h(
      "div",
      { class: "head-cells names", "aria-hidden": "true" },
      ...names.map((name) => h("span", {}, name)),
    );
    row.style.setProperty("--columns", String(names.length));
    this.grid.append(row);
  }

  private addRow(layer: AttentionLayer, l: number): void {
    const heads: (number | "mean")[] = layer.heads === 1 ? [] : ["mean"];
    for (let head = 0; head < layer.heads; ++head) heads.push(head);
    const isAlignment = this.side.explanation.alignment === l;
    const row = heads.map((head): Cell => {
      const [entropy, distance] = [
        headFigure(layer, "entropy", head),
        headFigure(layer, "distance", head),
      ];
      const name = layer.heads === 1 ? layerName(layer.layer) : headName(head);
      const button = h("button", {
        type: "button",
        role: "gridcell",
        class: head === "mean" ? "head mean" : "head",
        "aria-label":
          `${layerName(layer.layer)}, ${name}, entropy ${shortNumber(entropy)} bits, ` +
          `distance ${shortNumber(distance)}`,
        title:
          `${layerName(layer.layer)}, ${name}\nentropy ${shortNumber(entropy)} bits, ` +
          `distance ${shortNumber(distance)} positions`,
      });
      button.addEventListener("click", () => this.side.setChoice({ layer: l, head }));
      button.addEventListener("keydown", (event) => this.move(event, l, head));
      return { layer: l, head, button };
    });
    this.cells.push(row);
    const cells = h("div", { class: "head-cells" }, ...row.map((cell) => cell.button));
    cells.style.setProperty("--columns", String(Math.max(row.length, 1)));
    this.grid.append(
      h(
        "div",
        { class: "head-row", role: "row" },
        h(
          "p",
          { class: "label", title: layer.layer },
          layerName(layer.layer),
          isAlignment ? h("span", { class: "badge" }, "alignment") : null,
        ),
        cells,
      ),
    );
  }

  private paint(): void {
    const { layers } = this.side.explanation;
    let most = 0;
    if (this.shown !== "weights") {
      for (const layer of layers) {
        for (const value of layer[this.shown] ?? []) most = Math.max(most, value || 0);
      }
    }
    for (const { layer, head, button } of this.cells.flat()) {
      if (this.shown === "weights") {
        const canvas = h("canvas", { "aria-hidden": "true" });
        paintThumbnail(canvas, weightsOf(layers[layer], head));
        canvas.classList.toggle("fine", canvas.width > 32);
        button.replaceChildren(canvas);
      } else {
        const value = headFigure(layers[layer], this.shown, head);
        const share = most > 0 ? value / most : 0;
        const crowded = this.cells[layer].length > 6;
        const text = crowded ? value.toFixed(1) : shortNumber(value);
        button.replaceChildren(h("span", {}, text));
        button.classList.add("figure");
        button.classList.toggle("strong", share > 0.55);
        button.style.setProperty("--w", String(share || 0));
      }
    }
  }

  private move(event: KeyboardEvent, layer: number, head: number | "mean"): void {
    const row = this.cells[layer];
    const at = row.findIndex((cell) => cell.head === head);
    const near = (cells: Cell[] | undefined) => cells?.[Math.min(at, cells.length - 1)];
    const steps: Record<string, Cell | undefined> = {
      ArrowLeft: row[at - 1],
      ArrowRight: row[at + 1],
      ArrowUp: near(this.cells[layer - 1]),
      ArrowDown: near(this.cells[layer + 1]),
      Home: row[0],
      End: row[row.length - 1],
    };
    const to = steps[event.key];
    if (!to) return;
    event.preventDefault();
    this.side.setChoice({ layer: to.layer, head: to.head });
    to.button.focus();
  }

  /** Marks the chosen head. */
  select(): void {
    const cells = this.cells.flat();
    const { choice } = this.side;
    const at = cells.findIndex(
      (cell) =>
        cell.layer === choice?.layer &&
        (cell.head === choice.head || this.cells[cell.layer].length === 1),
    );
    rove(
      cells.map((cell) => cell.button),
      Math.max(at, 0),
    );
    cells.forEach((cell, i) =>
      cell.button.setAttribute("aria-selected", String(i === at)),
    );
    const row = cells[at]?.button.closest<HTMLElement>(".head-row");
    if (!row) return;
    // Into sight within the grid; the page stays where it is.
    const above = row.offsetTop - this.grid.offsetTop;
    const below = above + row.offsetHeight - this.grid.clientHeight;
    if (this.grid.scrollTop > above) this.grid.scrollTop = above;
    if (this.grid.scrollTop < below) this.grid.scrollTop = below + 8;
  }
}
