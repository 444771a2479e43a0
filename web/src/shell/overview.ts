import {
  arrowStep,
  button,
  clamp,
  colouring,
  h,
  headFigure,
  headName,
  headsOf,
  paintPixels,
  palette,
  rove,
  shortNumber,
  statisticsOf,
  textOn,
  unitOf,
  type AttentionMap,
  type Chosen,
  type Head,
  type Side,
} from "../core";

/** Quantity shown for the heads. */
export type Figure = "weights" | "entropy" | "distance";

interface Cell {
  map: number;
  head: Head;
  button: HTMLButtonElement;
}

/** Grid of all layers and heads as small pictures, for selection. */
export class Overview {
  readonly element: HTMLElement;
  private readonly cells: Cell[][] = [];
  private readonly grid: HTMLElement;
  /** Selection last scrolled into view. The initial selection is scrolled to only if a
   * user chose it. */
  private seen: Chosen | null;

  constructor(
    private readonly side: Side,
    private readonly figure: Figure,
    onFigure: (figure: Figure) => void,
  ) {
    this.seen = side.firstChoice();
    const choices: [Figure, string][] = [
      ["weights", "Maps"],
      ["entropy", "Entropy"],
      ["distance", "Distance"],
    ];
    const buttons = choices.map(([value, name]) =>
      button(name, { class: "", "aria-pressed": String(value === figure) }, () =>
        onFigure(value),
      ),
    );
    this.grid = h("div.head-grid", { role: "grid", "aria-label": "Layers and heads" });
    this.element = h(
      "aside.overview.card",
      { "aria-label": "Layers and heads" },
      h(
        "div.card-head.row",
        h("h2", "Layers and heads"),
        h("div.segmented", { role: "group", "aria-label": "Shown" }, ...buttons),
      ),
      this.grid,
    );
    const { maps } = side.part;
    const heads = maps.length > 0 ? headsOf(maps[0]) : [];
    if (maps.every((map) => headsOf(map).length === heads.length)) this.nameHeads(heads);
    maps.forEach((map, m) => this.addRow(map, m));
    this.paint();
  }

  /** Labels the heads once, if all layers have equally many. */
  private nameHeads(heads: Head[]): void {
    if (heads.length <= 1) return;
    const names = heads.map(String);
    const row = h(
      "div.head-cells.names",
      { "aria-hidden": "true" },
      ...names.map((name) => h("span", name)),
    );
    row.style.setProperty("--columns", String(names.length));
    this.grid.append(row);
  }

  private addRow(map: AttentionMap, m: number): void {
    const { part } = this.side;
    const row = headsOf(map).map((head): Cell => {
      const name = map.heads === 1 ? map.title : headName(head);
      const figures = statisticsOf(this.side.explanation, map, head);
      const button = h(head === "mean" ? "button.head.mean" : "button.head", {
        type: "button",
        role: "gridcell",
        "aria-label": `${map.title}, ${name}, ${figures}`,
        title: `${map.title}, ${name}\n${figures}`,
        onclick: () => this.side.setChoice({ map: m, head }),
        onkeydown: (event) => this.move(event, m, head),
      });
      return { map: m, head, button };
    });
    this.cells.push(row);
    const cells = h("div.head-cells", ...row.map((cell) => cell.button));
    cells.style.setProperty("--columns", String(Math.max(row.length, 1)));
    const speaks = part.targets.some((one) => part.mapOf(one) === m);
    const badge = speaks ? h("span.badge", "explains the answer") : null;
    const label = h("p.label", { title: map.name }, map.title, badge);
    this.grid.append(h("div.head-row", { role: "row" }, label, cells));
  }

  /** Draws the cells. Figures of equal units share one colour scale. */
  private paint(): void {
    const { figure, side } = this;
    const { maps } = side.part;
    const p = palette();
    const unit = (map: AttentionMap) =>
      figure === "distance" ? unitOf(side.explanation, map) : "";
    const max = new Map<string, number>();
    if (figure !== "weights") {
      for (const map of maps) {
        const values = headsOf(map).map((head) => headFigure(map, figure, head) || 0);
        max.set(unit(map), Math.max(max.get(unit(map)) ?? 0, ...values));
      }
    }
    for (const { map: m, head, button } of this.cells.flat()) {
      const map = maps[m];
      if (figure === "weights") {
        const { weights } = side.shownOf({ map: m, head });
        const colours = colouring(side.scale, weights, "");
        const canvas = paintPixels({ ...colours, values: weights }, p);
        canvas.setAttribute("aria-hidden", "true");
        canvas.classList.toggle("fine", canvas.width > 32);
        button.replaceChildren(canvas);
      } else {
        const value = headFigure(map, figure, head);
        const share = Math.min(1, value / (max.get(unit(map)) || 1)) || 0;
        const crowded = this.cells[m].length > 6 && !Number.isNaN(value);
        button.replaceChildren(
          h("span", crowded ? value.toFixed(1) : shortNumber(value)),
        );
        button.classList.add("number");
        button.style.setProperty("--w", `${Math.round(100 * share)}%`);
        button.style.color = textOn(p, share);
      }
    }
  }

  private move(event: KeyboardEvent, map: number, head: Head): void {
    const step = arrowStep(event);
    if (!step) return;
    const at = this.cells[map].findIndex((cell) => cell.head === head);
    const row = this.cells[clamp(map + step[0], 0, this.cells.length - 1)];
    const to = row[clamp(at + step[1], 0, row.length - 1)];
    event.preventDefault();
    this.side.setChoice({ map: to.map, head: to.head });
    to.button.focus();
  }

  /** Marks the selected head. */
  select(): void {
    const cells = this.cells.flat();
    const { choice } = this.side;
    const at = cells.findIndex(
      ({ map, head }) =>
        map === choice?.map && (head === choice.head || this.cells[map].length === 1),
    );
    const buttons = cells.map((cell) => cell.button);
    rove(buttons, Math.max(at, 0));
    buttons.forEach((one, i) => one.setAttribute("aria-selected", String(i === at)));
    const row = buttons[at]?.closest<HTMLElement>(".head-row");
    const isSeen = choice?.map === this.seen?.map && choice?.head === this.seen?.head;
    if (!row?.isConnected || isSeen) return;
    this.seen = choice;
    // Scrolls within the grid; the page does not scroll.
    const [box, seen] = [row.getBoundingClientRect(), this.grid.getBoundingClientRect()];
    if (box.top < seen.top) this.grid.scrollTop -= seen.top - box.top + 8;
    else this.grid.scrollTop += Math.max(0, box.bottom - seen.bottom + 8);
  }
}
