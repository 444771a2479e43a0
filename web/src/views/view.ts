import type { Side } from "../side";
import type { Palette } from "../theme";

export type ViewName =
  | "heatmap"
  | "lines"
  | "frames"
  | "computation"
  | "heads"
  | "saliency";

export interface ViewOptions {
  palette: Palette;
  /** Room for pictures. Units: pixels. */
  width: number;
  numbers: boolean;
  moved: boolean;
  methods: string[];
  /** Attributions are drawn relative to the largest of their row. */
  relative: boolean;
}

/** A way to show what a side has chosen. It is made anew when the choice changes. */
export interface View {
  element: HTMLElement;
  /** The pictures on show, for a download. */
  pictures(): SVGSVGElement[];
  /** Shows the side's focus. */
  paint?(): void;
  /** What the keys of this view do; true if it was one of them. */
  key?(event: KeyboardEvent): boolean;
  close?(): void;
}

export type MakeView = (side: Side, options: ViewOptions) => View;
