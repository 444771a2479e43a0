import { h, rove } from "../core/dom";
import {
  headFigure,
  headName,
  unitOf,
  type AttentionMap,
  type Head,
} from "../core/explanation";
import { paintPixels } from "../core/matrix";
import { shortNumber } from "../core/numbers";
import { colouring } from "../core/scale";
import type { Side } from "../core/side";
import { palette, textOn } from "../core/theme";

/** What the heads are shown by. */
export type Figure = "weights" | "entropy" | "distance";

interface Cell {
  map: number;
  head: Head;
  button: HTMLButtonElement;
}

/** All layers and heads as small pictures, to see at a glance and to choose from. */
export class Overview {
  readonly element: HTMLElement;
  private readonly cells: Cell[][] = [];
  private readonly grid: HTMLElement;

  constructor(
    private readonly side: Side,
    private readonly figure: Figure,
    onFigure: (figure: Figure) => void,
  ) {
    const choices: [Figure, string][] = [
      ["weights", "Maps"],
      ["entropy", "Entropy"],
      ["distance", "Distance"],
    ];
    const buttons = choices.map(([value, name]) => {
      const button = h(
        "button",
        { type: "button", "aria-pressed": String(value === figure) },
        name,
      );
      button.addEventListener("click", () => onFigure(value));
      return button;
    });
    this.grid = h("div", {
      class: "head-grid",
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
    const { maps } = side.part;
    if (maps.length > 0 && maps.every((map) => map.heads === maps[0].heads)) {
      this.nameHeads(maps[0].heads);
    }
    maps.forEach((map, m) => this.addRow(map, m));
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

  private addRow(map: AttentionMap, m: number): void {
    const heads: Head[] = map.heads === 1 ? [] : ["mean"];
    for (let head = 0; head < map.heads; ++head) heads.push(head);
    const speaks = this.side.part.targets.some((one) => this.side.part.mapOf(one) === m);
    const row = heads.map((head): Cell => {
      const entropy = shortNumber(headFigure(map, "entropy", head));
      const distance = shortNumber(headFigure(map, "distance", head));
      const name = map.heads === 1 ? map.title : headName(head);
      const figures = `entropy ${entropy} bits, distance ${distance} ${unitOf(map)}`;
      const button = h("button", {
        type: "button",
        role: "gridcell",
        class: head === "mean" ? "head mean" : "head",
        "aria-label": `${map.title}, ${name}, ${figures}`,
        title: `${map.title}, ${name}\n${figures}`,
      });
      button.addEventListener("click", () => this.side.setChoice({ map: m, head }));
      button.addEventListener("keydown", (event) => this.move(event, m, head));
      return { map: m, head, button };
    });
    this.cells.push(row);
    const cells = h("div", { class: "head-cells" }, ...row.map((cell) => cell.button));
    cells.style.setProperty("--columns", String(Math.max(row.length, 1)));
    const badge = speaks ? h("span", { class: "badge" }, "speaks for the answer") : null;
    this.grid.append(
      h(
        "div",
        { class: "head-row", role: "row" },
        h("p", { class: "label", title: map.name }, map.title, badge),
        cells,
      ),
    );
  }

  /** Figures are shaded within what has the same unit. */
  private paint(): void {
    const { figure, side } = this;
    const { maps } = side.part;
    const p = palette();
    const unit = (map: AttentionMap) => (figure === "distance" ? unitOf(map) : "");
    const most = new Map<string, number>();
    if (figure !== "weights") {
      for (const map of maps) {
        const values = map.statistics?.[figure] ?? [];
        most.set(unit(map), Math.max(most.get(unit(map)) ?? 0, ...values));
      }
    }
    for (const { map: m, head, button } of this.cells.flat()) {
      const map = maps[m];
      if (figure === "weights") {
        const { weights } = side.shownOf({ map: m, head });
        const canvas = paintPixels(
          { ...colouring(side.scale, weights, ""), values: weights },
          p,
        );
        canvas.setAttribute("aria-hidden", "true");
        canvas.classList.toggle("fine", canvas.width > 32);
        button.replaceChildren(canvas);
      } else {
        const value = headFigure(map, figure, head);
        const share = Math.min(1, value / (most.get(unit(map)) || 1)) || 0;
        const crowded = this.cells[m].length > 6;
        button.replaceChildren(
          h("span", {}, crowded ? value.toFixed(1) : shortNumber(value)),
        );
        button.classList.add("number");
        button.style.setProperty("--w", `${Math.round(100 * share)}%`);
        button.style.color = textOn(p, share);
      }
    }
  }

  private move(event: KeyboardEvent, map: number, head: Head): void {
    const row = this.cells[map];
    const at = row.findIndex((cell) => cell.head === head);
    const near = (cells: Cell[] | undefined) => cells?.[Math.min(at, cells.length - 1)];
    const steps: Record<string, Cell | undefined> = {
      ArrowLeft: row[at - 1],
      ArrowRight: row[at + 1],
      ArrowUp: near(this.cells[map - 1]),
      ArrowDown: near(this.cells[map + 1]),
      Home: row[0],
      End: row[row.length - 1],
    };
    const to = steps[event.key];
    if (!to) return;
    event.preventDefault();
    this.side.setChoice({ map: to.map, head: to.head });
    to.button.focus();
  }

  /** Marks the chosen head. */
  select(): void {
    const cells = this.cells.flat();
    const { choice } = this.side;
    const at = cells.findIndex(
      (cell) =>
        cell.map === choice?.map &&
        (cell.head === choice.head || this.cells[cell.map].length === 1),
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
    const [box, seen] = [row.getBoundingClientRect(), this.grid.getBoundingClientRect()];
    if (box.top < seen.top) this.grid.scrollTop -= seen.top - box.top + 8;
    else if (box.bottom > seen.bottom)
      this.grid.scrollTop += box.bottom - seen.bottom + 8;
  }
}
