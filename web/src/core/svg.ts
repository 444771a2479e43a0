import { select, type Selection } from "d3-selection";

import { fontFamily } from "./dom";

export type Group<E extends SVGElement = SVGGElement> = Selection<
  E,
  unknown,
  null,
  undefined
>;

/** An empty picture. It names all its colours and fonts in attributes, so that a saved
 * copy looks as it does on the page. */
export function newPicture(
  width: number,
  height: number,
  label: string,
): Group<SVGSVGElement> {
  const [w, h] = [Math.ceil(width), Math.ceil(height)];
  return select(document.createElementNS("http://www.w3.org/2000/svg", "svg"))
    .attr("xmlns", "http://www.w3.org/2000/svg")
    .attr("width", w)
    .attr("height", h)
    .attr("viewBox", `0 0 ${w} ${h}`)
    .attr("font-family", fontFamily)
    .attr("role", "img")
    .attr("aria-label", label);
}

export interface TextStyle {
  size?: number;
  fill?: string;
  anchor?: "start" | "middle" | "end";
  weight?: number;
}

export function addText<E extends SVGElement>(
  group: Group<E>,
  x: number,
  y: number,
  text: string,
  style: TextStyle = {},
): Group<SVGTextElement> {
  const added = group
    .append("text")
    .attr("x", round(x))
    .attr("y", round(y))
    .attr("font-size", style.size ?? 12)
    .attr("fill", style.fill ?? "currentColor")
    .text(text);
  if (style.anchor && style.anchor !== "start") added.attr("text-anchor", style.anchor);
  if (style.weight) added.attr("font-weight", style.weight);
  return added;
}

export function addRect<E extends SVGElement>(
  group: Group<E>,
  x: number,
  y: number,
  width: number,
  height: number,
  fill: string,
): Group<SVGRectElement> {
  return group
    .append("rect")
    .attr("x", round(x))
    .attr("y", round(y))
    .attr("width", round(width))
    .attr("height", round(height))
    .attr("fill", fill);
}

/** To tenths of a pixel. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
