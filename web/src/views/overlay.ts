import {
  add,
  addRect,
  addText,
  fitText,
  h,
  newPicture,
  onLook,
  type Side,
  type View,
  type ViewOptions,
  type ViewRow,
} from "../core";
import { addImage, type ImagePayload } from "../kinds/image_figure";

const font = 13;
const gap = 16;
const labelRoom = 24;
/** Overlay colour, equal to that of heed explain: visible on both black and white. */
const veil = "#343a54";
const mostVeil = 0.8;
let masks = 0;

function attended(side: Side): ImagePayload | null {
  const payload = side.shown?.key.axis.payload as ImagePayload | undefined;
  return payload?.png && payload.cell ? payload : null;
}

/** Draws the image with original colours at the highest weights, and darker at lower
 * weights. */
function drawOverlay(
  parent: Element,
  image: ImagePayload,
  weights: number[],
  scale: number,
): void {
  const { width, height, cell } = image;
  const [w, tall] = [width * scale, height * scale];
  const id = `overlay-${++masks}`;
  addImage(parent, image, scale);
  addRect(parent, 0, 0, w, tall, veil, { opacity: mostVeil });
  const side = cell * scale;
  const filter = add(parent, "filter", {
    id: `${id}-soft`,
    ...{ filterUnits: "userSpaceOnUse", x: 0, y: 0, width: w, height: tall },
  });
  add(filter, "feGaussianBlur", { stdDeviation: side / 2 });
  // Restores full brightness of isolated cells.
  const light = add(filter, "feComponentTransfer", {});
  add(light, "feFuncA", { type: "linear", slope: 2.1 });
  const mask = add(parent, "mask", {
    id,
    ...{ maskUnits: "userSpaceOnUse", x: 0, y: 0, width: w, height: tall },
  });
  const cells = add(mask, "g", { filter: `url(#${id}-soft)`, fill: "white" });
  const max = Math.max(...weights) || 1;
  const columns = width / cell;
  weights.forEach((weight, i) => {
    const share = weight / max;
    if (share < 0.01) return;
    const [x, y] = [(i % columns) * side, Math.floor(i / columns) * side];
    addRect(cells, x, y, side, side, "white", { "fill-opacity": share.toFixed(3) });
  });
  addImage(parent, image, scale, { mask: `url(#${id})` });
}

/** Shows the image for each row of the attention. */
function overlayView(side: Side, { width, palette }: ViewOptions): View {
  const shown = side.attention;
  const image = attended(side)!;
  const labels = side.rowLabels(shown);
  const extent = labels.length > 4 ? 148 : Math.min(width, 300);
  const scale = extent / Math.max(image.width, image.height);
  const [w, tall] = [image.width * scale, image.height * scale];
  const across = Math.max(1, Math.floor((width + gap) / (w + gap)));
  const rows = Math.ceil(labels.length / across);
  const picture = newPicture(
    Math.min(across, labels.length) * (w + gap) - gap,
    rows * (tall + labelRoom + gap) - gap,
    `What each of ${labels.length} rows attends to in the image`,
  );
  const groups = labels.map((label, row) => {
    const x = (row % across) * (w + gap);
    const y = Math.floor(row / across) * (tall + labelRoom + gap);
    const group = add(picture, "g", {
      class: "overlay",
      transform: `translate(${x} ${y})`,
      tabindex: 0,
      "aria-label": label,
    });
    drawOverlay(group, image, shown.weights[row] ?? [], scale);
    const text = fitText(label, font, w);
    addText(group, 0, tall + 17, text, { size: font, fill: palette.text });
    onLook(
      group,
      (at: number | null) => side.hover(at === null ? null : { row: at, column: null }),
      () => row,
    );
    return group;
  });
  const note =
    "The image for each row, dark where its attention is low and clear where it is the " +
    "row's largest weight. Smoothed between the cells.";
  return {
    element: h("div", h("p.note", note), picture),
    pictures: () => [picture],
    paint() {
      const row = side.focus?.target === undefined ? side.focus?.row : null;
      groups.forEach((group, at) => {
        const quiet = row !== null && row !== undefined && row !== at;
        group.setAttribute("opacity", quiet ? "0.45" : "1");
      });
    },
  };
}

export const overlay: ViewRow = {
  name: "overlay",
  title: "Overlay",
  switches: [],
  kinds: ["image"],
  leads: true,
  byChoice: true,
  accepts: (side) =>
    attended(side)
      ? null
      : "The attention on show is not to an image. Choose another, or see Saliency.",
  make: overlayView,
};
