import { add } from "../core";

/** Payload of an image, as described in docs/reference/file_formats.md. */
export interface ImagePayload {
  width: number;
  height: number;
  /** Side of a cell. Units: pixels. */
  cell: number;
  /** File in base64. */
  png: string;
}

/** Adds an image with unsmoothed pixels to an SVG picture. */
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
