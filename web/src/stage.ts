import { h } from "./dom";
import { choiceName, headFigure, headName, layerName } from "./explanation";
import { Overview, type Shown } from "./overview";
import type { Side } from "./side";
import { shortNumber } from "./statistics";
import { computationView } from "./views/computation";
import { framesView, startFrames } from "./views/frames";
import { headsView } from "./views/heads";
import { heatmapView } from "./views/heatmap";
import { linesView } from "./views/lines";
import { saliencyView } from "./views/saliency";
import type { MakeView, View, ViewName, ViewOptions } from "./views/view";

/** What all sides of the page share. */
export interface Shared {
  view: ViewName;
  shown: Shown;
  options(): Omit<ViewOptions, "width">;
  /** There are two sides, which are laid out alike. */
  comparing: boolean;
  setShown(shown: Shown): void;
  setSaliency(wanted: { methods?: string[]; relative?: boolean }): void;
}

/** The lower part of a side: its heads, the choice of one, and the view of it. */
export class Stage {
  readonly element = h("div", { class: "stage" });
  private readonly holder = h("div", { class: "view" });
  private readonly layers = h("select", { "aria-label": "Layer" });
  private readonly heads = h("select", { "aria-label": "Head" });
  private readonly figures = h("span", { class: "figures-of-head" });
  private readonly readout = h("p", { class: "readout", "aria-live": "polite" });
  private readonly card: HTMLElement;
  private overview: Overview | null = null;
  private view: View | null = null;

  constructor(
    readonly side: Side,
    private readonly shared: Shared,
  ) {
    const { layers } = side.explanation;
    layers.forEach((layer, l) => {
      this.layers.append(
        h("option", { value: l, title: layer.layer }, layerName(layer.layer)),
      );
    });
    this.card = h(
      "section",
      { class: "card view-card", "aria-label": `View of ${side.model.name}` },
      h(
        "div",
        { class: "picker" },
        h("label", {}, h("span", {}, "Layer"), this.layers),
        h("label", {}, h("span", {}, "Head"), this.heads),
        this.figures,
      ),
      this.readout,
      this.holder,
    );
    this.layers.addEventListener("change", () => {
      side.setChoice({
        layer: Number(this.layers.value),
        head: side.choice?.head ?? "mean",
      });
    });
    this.heads.addEventListener("change", () => {
      const { value } = this.heads;
      const head = value === "mean" ? value : Number(value);
      side.setChoice({ layer: side.choice?.layer ?? 0, head });
    });
    this.drawOverview();
    side.choiceListeners.push(() => this.chosen());
    side.focusListeners.push(() => this.paint());
  }

  drawOverview(): void {
    const { layers } = this.side.explanation;
    const several =
      layers.length > 1 ||
      (layers[0]?.heads ?? 0) > 1 ||
      (this.shared.comparing && layers.length > 0);
    const hadFocus = this.overview?.element.contains(document.activeElement);
    this.overview = several
      ? new Overview(this.side, this.shared.shown, (shown) => this.shared.setShown(shown))
      : null;
    this.element.classList.toggle("alone", !several);
    this.element.replaceChildren(
      ...(this.overview ? [this.overview.element] : []),
      this.card,
    );
    this.overview?.select();
    if (hadFocus) {
      this.overview?.element.querySelector<HTMLElement>("[aria-pressed=true]")?.focus();
    }
  }

  private chosen(): void {
    this.overview?.select();
    this.redraw();
  }

  private drawPicker(): void {
    const { choice, explanation } = this.side;
    if (!choice) return;
    const layer = explanation.layers[choice.layer];
    this.layers.value = String(choice.layer);
    const heads = layer.heads > 1 ? ["mean", ...layer.weights.keys()] : [0];
    this.heads.replaceChildren(
      ...heads.map((head) =>
        h("option", { value: head }, headName(head as number | "mean")),
      ),
    );
    this.heads.value = layer.heads > 1 ? String(choice.head) : "0";
    this.heads.disabled = layer.heads === 1;
    const unit = layer.queries === layer.keys ? " positions" : " of the length";
    this.figures.replaceChildren(
      h(
        "span",
        {},
        `entropy ${shortNumber(headFigure(layer, "entropy", choice.head))} bits`,
      ),
      h(
        "span",
        {},
        `distance ${shortNumber(headFigure(layer, "distance", choice.head))}${unit}`,
      ),
    );
  }

  /** Makes the view anew; the keyboard's focus stays where it was. */
  redraw(): void {
    const { side, shared } = this;
    const focusable = () => [
      ...this.holder.querySelectorAll<HTMLElement>("[tabindex='0'],button,input"),
    ];
    const focused = focusable().indexOf(document.activeElement as HTMLElement);
    this.view?.close?.();
    this.view = null;
    this.overview?.select();
    this.drawPicker();
    this.card.classList.toggle("no-picker", !side.choice);
    const width = Math.max(240, this.holder.clientWidth);
    const options: ViewOptions = { ...shared.options(), width };
    if (!side.choice && shared.view !== "saliency") {
      this.holder.replaceChildren(
        h(
          "p",
          { class: "note" },
          "This model has no attention to look at. Saliency shows what its answer depended on.",
        ),
      );
      return;
    }
    const views: Record<ViewName, MakeView> = {
      heatmap: heatmapView,
      lines: linesView,
      frames: framesView,
      computation: computationView,
      heads: headsView,
      saliency: (of, with_) =>
        saliencyView(of, with_, (wanted) => shared.setSaliency(wanted)),
    };
    this.view = views[shared.view](side, options);
    this.holder.replaceChildren(this.view.element);
    if (shared.view === "frames") startFrames(side);
    else side.rest(null);
    if (focused >= 0) (focusable()[focused] ?? focusable()[0])?.focus();
    this.paint();
  }

  /** What the picture shows, for its readers elsewhere. */
  get subtitle(): string {
    const { choice, explanation, model } = this.side;
    return choice ? `${model.name} · ${choiceName(explanation, choice)}` : model.name;
  }

  private paint(): void {
    this.view?.paint?.();
    const needed = ["heatmap", "lines", "computation"].includes(this.shared.view);
    this.readout.hidden = !needed;
    this.readout.textContent =
      this.side.describeFocus() ||
      (needed ? "Point at a word, a cell or a label; click to keep it." : "");
    this.readout.classList.toggle("empty", !this.side.focus);
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
