import { add } from "../core";

/** What is known of an image: as docs/explain.md describes it. */
export interface ImagePayload {
  width: number;
  height: number;
  /** Side of a cell. Units: pixels. */
  cell: number;
  /** The file in base64. */
  png: string;
}

/** An image in an SVG picture, its pixels as they are. */
export function addImage(
  parent: Element,
  { width, height, png }: ImagePayload,
  scale: number,
  marks: Record<string, string> = {},
): SVGImageElement {
  return add(parent, "image", {
    ...{ width: width * scale, height: height * scale, preserveAspectRatio: "none" },
    style: "image-rendering: pixelated",
    href: `data:image/png;base64,${png}`,
    ...marks,
  });
}
