import {
  add,
  addText,
  clamp,
  fitText,
  h,
  needsAttention,
  newPicture,
  palette,
  shortNumber,
  textWidth,
  weightsOf,
  type Side,
  type View,
  type ViewOptions,
  type ViewRow,
} from "../core";
import { addNode, type GraphPayload } from "../kinds/graph";

const size = 210;
const most = 14;
const font = 9.5;
const fromMark = 9;

/** Items that the first one attends to, the strongest in the mean of heads first. */
function neighboursOf(mean: number[]): number[] {
  return mean
    .map((weight, item) => ({ weight, item }))
    .filter(({ weight, item }) => weight > 0 && item > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, most)
    .map(({ item }) => item);
}

/** One head: rays as wide as the weights; the ring is the node itself. */
function star(
  side: Side,
  weights: number[],
  neighbours: number[],
  name: string,
): SVGSVGElement {
  const p = palette();
  const { axis, labels } = side.attention.key;
  const { predicted, drawn: nodes } = axis.payload as GraphPayload;
  const picture = newPicture(size, size + 8, `${name}: what the node attends to`);
  // Names stand outside of the marks, however wide they are.
  const names = neighbours.map((item) => fitText(labels[item], font, 48));
  const room = Math.max(font, ...names.map((text) => textWidth(text, font)));
  const [x, y, radius] = [size / 2, size / 2 + 8, size / 2 - fromMark - room - 2];
  addText(picture, 0, 11, name, { size: 11, fill: p.quiet });
  const width = (weight: number) => 7 * Math.sqrt(clamp(weight, 0, 1));
  const places = neighbours.map((_, k): [number, number] => {
    const angle = (2 * Math.PI * k) / neighbours.length;
    return [Math.sin(angle), -Math.cos(angle)];
  });
  neighbours.forEach((item, k) => {
    const [dx, dy] = places[k];
    const ray = add(picture, "path", {
      class: "ray",
      d: `M${x} ${y}L${(x + radius * dx).toFixed(1)} ${(y + radius * dy).toFixed(1)}`,
      stroke: p.ink,
      "stroke-opacity": 0.7,
      "stroke-width": width(weights[item]),
      "data-weight": String(weights[item]),
    });
    add(ray, "title", {}, `${labels[item]}: ${shortNumber(weights[item])}`);
  });
  const ring = {
    cx: x,
    cy: y,
    r: 11,
    fill: "none",
    stroke: p.ink,
    "stroke-opacity": 0.7,
  };
  add(picture, "circle", { class: "ring", ...ring, "stroke-width": width(weights[0]) });
  addNode(picture, [x, y], 1.2, predicted[nodes[0]], p);
  neighbours.forEach((item, k) => {
    const [dx, dy] = places[k];
    addNode(picture, [x + radius * dx, y + radius * dy], 0.9, predicted[nodes[item]], p);
    const half = (textWidth(names[k], font) * Math.abs(dx) + font * Math.abs(dy)) / 2;
    const away = radius + fromMark + half;
    addText(picture, x + away * dx, y + away * dy + 3.5, names[k], {
      size: font,
      fill: p.quiet,
      anchor: "middle",
    }).classList.add("neighbour");
  });
  return picture;
}

function starView(side: Side, _options: ViewOptions): View {
  const { map } = side.attention;
  const e = side.explanation;
  const heads = Array.from({ length: map.heads }, (_, k) => weightsOf(e, map, k)[0]);
  const mean = weightsOf(e, map, "mean")[0];
  const neighbours = neighboursOf(mean);
  const pictures = heads.map((weights, k) =>
    star(side, weights, neighbours, map.heads > 1 ? `head ${k + 1}` : "weights"),
  );
  const all = mean.filter((weight, item) => weight > 0 && item > 0).length;
  const cut = all > most ? ` The ${most} strongest of ${all} neighbours.` : "";
  const note = `What the node attends to in ${map.title}; the ring is itself.${cut}`;
  return {
    element: h("div.stars", h("p.note", note), h("div.star-row", ...pictures)),
    pictures: () => pictures,
  };
}

export const stars: ViewRow = {
  name: "stars",
  title: "Neighbours by head",
  switches: [],
  kinds: ["graph"],
  leads: true,
  accepts: (side) =>
    needsAttention(side) ??
    ((side.shown?.key.axis.payload as { places?: unknown })?.places &&
    side.shown?.query.id === side.shown?.key.id
      ? null
      : "Only the nodes of a graph have neighbours."),
  make: starView,
};
