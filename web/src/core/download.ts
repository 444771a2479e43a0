import { h, textWidth } from "./dom";
import { add, addText, change, newPicture, resize } from "./svg";
import type { Palette } from "./theme";

const margin = 24;
const gap = 40;
const wrapAt = 1500;

/** Pictures with their headings. */
export interface Captioned {
  title: string;
  subtitle: string;
  pictures: SVGSVGElement[];
}

function sizeOf(picture: SVGSVGElement): [number, number] {
  return [Number(picture.getAttribute("width")), Number(picture.getAttribute("height"))];
}

/** Returns a copy of a picture for use outside of the page: not scrolled, without
 * classes. */
function copyOf(picture: SVGSVGElement): SVGSVGElement {
  const copy = picture.cloneNode(true) as SVGSVGElement;
  for (const names of copy.querySelectorAll("[data-stuck]")) {
    names.removeAttribute("data-stuck");
    names.removeAttribute("transform");
    names.querySelector("rect")?.remove();
  }
  for (const one of copy.querySelectorAll("[class]")) one.removeAttribute("class");
  return copy;
}

/** Combines all pictures side by side on one self-contained sheet. */
export function composeSheet(groups: Captioned[], p: Palette): SVGSVGElement {
  const sheet = newPicture(1, 1, groups.map((group) => group.title).join("; "));
  const paper = add(sheet, "rect", { fill: p.paper });
  let y = margin;
  let widest = 0;
  for (const { title, subtitle, pictures } of groups) {
    addText(sheet, margin, y + 14, title, { size: 15, weight: 600, fill: p.title });
    addText(sheet, margin, y + 34, subtitle, { size: 12, fill: p.quiet });
    widest = Math.max(widest, margin + textWidth(title, 15, 600));
    widest = Math.max(widest, margin + textWidth(subtitle, 12));
    y += 54;
    let x = margin;
    let rowHeight = 0;
    for (const picture of pictures) {
      const [width, height] = sizeOf(picture);
      if (x > margin && x + width > wrapAt) {
        x = margin;
        y += rowHeight + gap / 2;
        rowHeight = 0;
      }
      sheet.append(change(copyOf(picture), { x, y }));
      x += width + gap;
      widest = Math.max(widest, x - gap);
      rowHeight = Math.max(rowHeight, height);
    }
    y += rowHeight + gap;
  }
  resize(sheet, widest + margin, y - gap + margin);
  const [width, height] = sizeOf(sheet);
  change(paper, { width, height });
  return sheet;
}

/** Returns a file name from words about its contents. */
export function fileName(parts: string[], ending: string): string {
  const words = parts.map((part) =>
    part
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 40)
      .replace(/-+$/, ""),
  );
  return `${["heed", ...words.filter(Boolean)].join("-")}.${ending}`;
}

export function sheetText(sheet: SVGSVGElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(sheet)}\n`;
}

function save(blob: Blob, name: string): void {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveText(text: string, type: string, name: string): void {
  save(new Blob([text], { type }), name);
}

/** Saves the sheet as pixels, at double resolution if the browser supports it. */
export async function savePng(sheet: SVGSVGElement, name: string): Promise<void> {
  const [width, height] = sizeOf(sheet);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(sheetText(sheet))}`;
  await image.decode();
  const scale = width * height > 20e6 ? 1 : 2;
  const canvas = h("canvas", { width: width * scale, height: height * scale });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) =>
    canvas.toBlob(resolve, "image/png"),
  );
  if (!blob) throw new Error("The browser could not draw a picture of this size.");
  save(blob, name);
}
