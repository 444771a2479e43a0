import {
  allViews,
  h,
  headsOf,
  headName,
  kindNamed,
  palette,
  statisticsOf,
  type Head,
  type Side,
  type View,
  type ViewOptions,
  type ViewRow,
} from "../core";
import { Overview, type Figure } from "./overview";

/** State shared by all sides of the page. */
export interface Shared {
  view: string;
  figure: Figure;
  /** True if there are two sides, which are laid out alike. */
  comparing: boolean;
  options: Omit<ViewOptions, "width" | "palette">;
  setFigure(figure: Figure): void;
}

export function viewNamed(name: string): ViewRow {
  const views = allViews();
  return views.find((view) => view.name === name) ?? views[0];
}

/** Lower part of a side: overview and selection of heads, and the view. */
export class Stage {
  readonly element = h("div.stage.stack");
  private readonly holder = h("div.view");
  private readonly maps = h("select", { "aria-label": "Layer" });
  private readonly heads = h("select", { "aria-label": "Head" });
  private readonly figures = h("span.quiet.figures-of-head");
  private readonly readout = h("p.readout", { "aria-live": "polite" });
  private readonly card: HTMLElement;
  private overview: Overview | null = null;
  private view: View | null = null;
  private drawnPart: unknown = null;

  constructor(
    readonly side: Side,
    private readonly shared: Shared,
  ) {
    this.card = h(
      "section.card.view-card",
      { "aria-label": `View of ${side.name}` },
      h(
        "div.picker.row",
        h("label", h("span", "Layer"), this.maps),
        h("label", h("span", "Head"), this.heads),
        this.figures,
      ),
      this.readout,
      this.holder,
    );
    this.maps.addEventListener("change", () => {
      const head = side.choice?.head ?? "mean";
      side.setChoice({ map: Number(this.maps.value), head });
    });
    this.heads.addEventListener("change", () => {
      const { value } = this.heads;
      const head = value === "mean" ? value : Number(value);
      side.setChoice({ map: side.choice?.map ?? 0, head });
    });
    this.drawOverview();
    side.on("choice", () => this.redraw());
    side.on("focus", () => this.paint());
  }

  drawOverview(): void {
    const { side, shared } = this;
    const { maps } = side.part;
    this.drawnPart = side.part;
    this.maps.replaceChildren(
      ...maps.map((map, m) => h("option", { value: m, title: map.name }, map.title)),
    );
    const several =
      maps.length > 1 || maps[0]?.heads > 1 || (shared.comparing && maps.length > 0);
    const hadFocus = this.overview?.element.contains(document.activeElement);
    this.overview = several ? new Overview(side, shared.figure, shared.setFigure) : null;
    this.element.classList.toggle("alone", !several);
    const above = this.overview ? [this.overview.element] : [];
    this.element.replaceChildren(...above, this.card);
    this.drawPicker();
    this.overview?.select();
    if (hadFocus) {
      this.overview?.element.querySelector<HTMLElement>("[aria-pressed=true]")?.focus();
    }
  }

  private drawPicker(): void {
    const { choice, part } = this.side;
    if (!choice) return;
    const map = part.maps[choice.map];
    this.maps.value = String(choice.map);
    const heads: Head[] = headsOf(map);
    this.heads.replaceChildren(
      ...heads.map((head) => h("option", { value: head }, headName(head))),
    );
    this.heads.value = map.heads > 1 ? String(choice.head) : "0";
    this.heads.disabled = map.heads === 1;
    this.figures.textContent = statisticsOf(this.side.explanation, map, choice.head);
  }

  /** Rebuilds the view and keeps the keyboard focus. */
  redraw(): void {
    const { side, shared } = this;
    const focusable = () => [
      ...this.holder.querySelectorAll<HTMLElement>("[tabindex='0'],button,input"),
    ];
    const focused = focusable().indexOf(document.activeElement as HTMLElement);
    this.view?.close?.();
    this.view = null;
    if (this.drawnPart !== side.part) this.drawOverview();
    else this.overview?.select();
    this.drawPicker();
    this.card.classList.toggle("no-picker", !side.choice);
    const row = viewNamed(shared.view);
    const refusal = row.accepts(side);
    if (refusal !== null) {
      this.holder.replaceChildren(h("p.note", refusal));
    } else {
      side.rest(null);
      const width = Math.max(240, this.holder.clientWidth);
      const options = { ...shared.options, palette: palette(), width };
      this.view = row.make(side, options);
      this.holder.replaceChildren(this.view.element);
    }
    if (focused >= 0) (focusable()[focused] ?? focusable()[0])?.focus();
    this.paint();
  }

  /** Returns the subtitle of the picture in a file. */
  get subtitle(): string {
    const { shown, name } = this.side;
    return shown ? `${name} · ${shown.name}` : name;
  }

  private paint(): void {
    this.view?.paint?.();
    const words = this.side.describeFocus();
    const { isWords } = kindNamed(this.side.part.kind);
    const hint = `Point at ${isWords ? "a word, " : ""}a cell or a label; click to keep it.`;
    const needed =
      this.view !== null &&
      this.side.shown !== null &&
      viewNamed(this.shared.view).switches.includes("scale");
    // With attention, the line always keeps its space, so that nothing moves under the
    // pointer.
    this.readout.hidden = this.side.shown === null && words === "";
    this.readout.textContent = words || (needed ? hint : "");
    this.readout.classList.toggle("empty", words === "");
  }

  pictures(): SVGSVGElement[] {
    return this.view?.pictures() ?? [];
  }

  key(event: KeyboardEvent): boolean {
    return this.view?.key?.(event) ?? false;
  }

  close(): void {
    this.view?.close?.();
  }
}
