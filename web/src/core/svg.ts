import { select } from "d3-selection";

import { directionOf, fontFamily, isolate } from "./dom";

/** Attributes of a shape; null removes one. Numbers are rounded to hundredths. */
export type Marks = Record<string, string | number | null | undefined>;

export function change<E extends SVGElement>(shape: E, marks: Marks): E {
  for (const [name, value] of Object.entries(marks)) {
    const written = typeof value === "number" ? round(value) : value;
    if (written !== undefined) select(shape).attr(name, written);
  }
  return shape;
}

/** Appends a shape with these attributes to another. */
export function add<K extends keyof SVGElementTagNameMap>(
  parent: Element,
  tag: K,
  marks: Marks,
  text = "",
): SVGElementTagNameMap[K] {
  const shape = select(parent).append<SVGElementTagNameMap[K]>(`svg:${tag}`);
  if (text) shape.text(text);
  return change(shape.node() as SVGElementTagNameMap[K], marks);
}

export function resize(
  picture: SVGSVGElement,
  width: number,
  height: number,
): SVGSVGElement {
  const [w, h] = [Math.ceil(width), Math.ceil(height)];
  return change(picture, { width: w, height: h, viewBox: `0 0 ${w} ${h}` });
}

/** Creates an empty picture. All colours and fonts are attributes, so that a saved copy
 * looks like the page. */
export function newPicture(width: number, height: number, label: string): SVGSVGElement {
  const xmlns = "http://www.w3.org/2000/svg";
  const marks = { "font-family": fontFamily, role: "img", "aria-label": label };
  const picture = add(document.createElement("div"), "svg", { xmlns, ...marks });
  picture.remove();
  return resize(picture, width, height);
}

export interface TextStyle {
  size?: number;
  fill?: string;
  anchor?: "start" | "middle" | "end";
  weight?: number;
}

/** Adds a text with its own direction, so that punctuation of right-to-left names is
 * placed correctly. */
export function addText(
  parent: Element,
  x: number,
  y: number,
  text: string,
  { size = 12, fill = "currentColor", anchor, weight }: TextStyle = {},
): SVGTextElement {
  const font = { "font-size": size, "font-weight": weight, "text-anchor": anchor };
  const shown = directionOf([text]) === "rtl" ? isolate(text) : text;
  return add(parent, "text", { x, y, fill, ...font }, shown);
}

export function addRect(
  parent: Element,
  x: number,
  y: number,
  width: number,
  height: number,
  fill: string,
  marks: Marks = {},
): SVGRectElement {
  return add(parent, "rect", { x, y, width, height, fill, ...marks });
}

/** Rounds to hundredths. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
