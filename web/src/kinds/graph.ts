import {
  add,
  addRect,
  addText,
  change,
  clamp,
  h,
  newPicture,
  onLook,
  palette,
  resize,
  shortNumber,
  textWidth,
  type AxesOnShow,
  type AxisView,
  type InputField,
  type InputOptions,
  type KindRow,
  type Palette,
  type Side,
} from "../core";

import "./graph.css";

/** Payload of a graph, as described in docs/reference/file_formats.md. */
interface GraphPayload {
  classes: string[];
  /** For each item, the index of its node in the picture. */
  drawn: number[];
  /** For each item, its class; -1: unknown. */
  labels: number[];
  /** Number of nodes at equal distance that did not fit. */
  left_out?: number;
  /** For each node of the picture, the predicted class. */
  predicted: number[];
  places: [number, number][];
  /** From, to and width, 0 to 1. */
  edges: [number, number, number][];
}

/** Input field for the number of a node. */
function nodeField({ id, prompt, submit }: InputOptions): InputField {
  const element = h("input.node-field", {
    id,
    inputMode: "numeric",
    autocomplete: "off",
    placeholder: prompt,
    "aria-label": "Number of a node",
    onkeydown: (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      submit();
    },
  });
  const read = () => {
    const text = element.value.trim();
    return text === "" ? null : { text, request: { text } };
  };
  return {
    element,
    read,
    write: (text) => (element.value = text),
    focus: () => element.focus(),
  };
}

/** Shapes around the origin that distinguish classes without colours. */
const shapes = [
  "M-4.6 0a4.6 4.6 0 1 0 9.2 0a4.6 4.6 0 1 0 -9.2 0z",
  "M-4.2 -4.2h8.4v8.4h-8.4z",
  "M0 -5.4L5.2 3.8H-5.2z",
  "M0 -5.8L5.8 0L0 5.8L-5.8 0z",
  "M0 5.4L5.2 -3.8H-5.2z",
];

/** Adds the mark of a class. */
function addNode(
  parent: Element,
  [x, y]: [number, number],
  size: number,
  of: number,
  p: Palette,
): SVGPathElement {
  return add(parent, "path", {
    class: "node",
    d: shapes[of % shapes.length],
    fill: p.kinds[of % p.kinds.length],
    transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${size.toFixed(2)})`,
  });
}

const margin = 12;

/** Draws edges of similar width as one path each. */
function drawEdges(
  picture: SVGSVGElement,
  { edges }: GraphPayload,
  at: (node: number) => [number, number],
  p: Palette,
): void {
  const buckets = new Array<string>(6).fill("");
  for (const [from, to, width] of edges) {
    const bucket = clamp(Math.ceil(width * buckets.length) - 1, 0, buckets.length - 1);
    const [[x0, y0], [x1, y1]] = [at(from), at(to)];
    const line = `M${x0.toFixed(1)} ${y0.toFixed(1)}L${x1.toFixed(1)} ${y1.toFixed(1)}`;
    buckets[bucket] += line;
  }
  buckets.forEach((d, i) => {
    if (!d) return;
    const share = (i + 1) / buckets.length;
    add(picture, "path", {
      class: "edges",
      d,
      fill: "none",
      stroke: p.quiet,
      "stroke-width": 0.3 + 2.7 * share,
      "stroke-opacity": 0.02 + 0.7 * share * share,
    });
  });
}

function drawClasses(
  picture: SVGSVGElement,
  { classes }: GraphPayload,
  width: number,
  top: number,
  p: Palette,
): number {
  let [x, y] = [margin, top + 16];
  classes.slice(0, 24).forEach((name, i) => {
    const room = textWidth(name, 12) + 34;
    if (x > margin && x + room > width) [x, y] = [margin, y + 20];
    addNode(picture, [x + 5, y - 4], 1, i, p);
    addText(picture, x + 16, y, name, { size: 12, fill: p.ink });
    x += room;
  });
  return y + 8;
}

/** Shows the whole graph in a plane. The items of the axis, which are near the
 * requested node, show the attention. */
function showGraph(side: Side, axes: AxisView[]): AxesOnShow {
  const [view] = axes;
  const graph = view.axis.payload as GraphPayload;
  const { drawn: nodes, labels, predicted, places, classes } = graph;
  const known = labels[0] >= 0 ? ` (label ${classes[labels[0]]})` : "";
  const more = graph.left_out ? `, ${graph.left_out} left out` : "";
  const count = `${view.labels.length} of ${places.length}${more}`;
  const title = `${view.name} near ${view.labels[0]}${known}: ${count}`;
  let halos: SVGCircleElement[] = [];
  let at = (node: number): [number, number] => places[node];
  let cursor = 0;

  const nearest = (event: MouseEvent): number => {
    const box = holder.querySelector("svg")?.getBoundingClientRect();
    if (!box) return -1;
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const away = nodes.map((node) => Math.hypot(at(node)[0] - x, at(node)[1] - y));
    const min = Math.min(...away);
    return min < 24 ? away.indexOf(min) : -1;
  };
  const focusOf = (item: number) => (item < 0 ? null : side.focusAt(view, item));
  const holder = h("div.figure.graph", {
    tabindex: 0,
    role: "application",
    "aria-roledescription": "graph",
    "aria-label": `${title}. Left and right go through the nodes near it.`,
    onkeydown: (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step && event.key !== "Enter") return;
      event.preventDefault();
      if (!step) return side.pinAt(view, cursor);
      cursor = clamp(cursor + step, 0, nodes.length - 1);
      side.hover(focusOf(cursor));
    },
    onclick: (event) => {
      const item = nearest(event);
      if (item < 0) return;
      cursor = item;
      side.pinAt(view, item);
    },
  });
  onLook(holder, side.events.hover, (event) => focusOf(event ? nearest(event) : cursor));

  const paint = () => {
    const p = palette();
    side.stateOf(view).forEach(({ strength, weight, chosen }, i) => {
      change(halos[i], {
        fill: p.ink,
        "fill-opacity": Math.sqrt(strength) * 0.75,
        r: 5 + 8 * Math.sqrt(strength),
        stroke: p.ink,
        "stroke-width": chosen || i === 0 ? 2 : 0.6,
        "data-weight": weight === undefined ? null : String(weight),
      });
      const suffix = weight === undefined ? "" : `: ${shortNumber(weight)}`;
      const name = `${view.labels[i]}, ${classes[predicted[nodes[i]]]}${suffix}`;
      halos[i].querySelector("title")!.textContent = name;
    });
  };
  const draw = () => {
    const p = palette();
    const width = clamp(holder.clientWidth || 560, 300, 560);
    const height = Math.round(width * 0.6);
    at = (node) => [
      margin + places[node][0] * (width - 2 * margin),
      margin + places[node][1] * (height - 2 * margin),
    ];
    const picture = newPicture(width, height, title);
    addRect(picture, 0, 0, width, height, p.field, { rx: 4 });
    drawEdges(picture, graph, at, p);
    const size = clamp(12 / Math.sqrt(places.length), 0.45, 1.1);
    places.forEach((_, node) => addNode(picture, at(node), size, predicted[node], p));
    halos = nodes.map((node) => {
      const [cx, cy] = at(node);
      const halo = add(picture, "circle", { class: "near", cx, cy });
      add(halo, "title", {});
      return halo;
    });
    const below = drawClasses(picture, graph, width, height, p);
    resize(picture, width, below);
    holder.replaceChildren(picture);
    paint();
  };
  let width = 0;
  new ResizeObserver(() => {
    if (holder.clientWidth === width) return;
    width = holder.clientWidth;
    draw();
  }).observe(holder);
  draw();
  return {
    element: h("div.graph-row", h("p.label", title), holder),
    paint,
    pictures: () => [...holder.querySelectorAll("svg")],
  };
}

export const graph: KindRow = {
  name: "graph",
  input: nodeField,
  items: () => "nodes",
  title: (text) => `Node ${text.trim()}`,
  show: showGraph,
};
