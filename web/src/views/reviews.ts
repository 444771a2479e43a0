import {
  addRect,
  addText,
  fitText,
  h,
  newPicture,
  resize,
  shortNumber,
  textOn,
  textWidth,
  type AxisView,
  type Palette,
  type Rows,
  type Side,
  type View,
  type ViewOptions,
  type ViewRow,
} from "../core";

const ownKinds = ["reviews"];

const font = 13;
const small = 11;
const bar = 56;
const left = 190;
const lineHeight = 22;
const mostReviews = 12;

/** The reviews of one side, which cover words, with what was looked at. */
interface ReviewSide {
  reviews: AxisView;
  words: AxisView;
  spans: [number, number][];
  /** Mean over pointers; null: none. */
  pointers: number[] | null;
  values: number[];
  gates: boolean;
}

/** Mean of the weights that the answer gives to an axis, over all attentions. */
function meanOn(side: Side, axis: string, size: number): number[] | null {
  const rows = side.part.maps
    .filter(({ key, weights }) => key === axis && (weights as Rows[])[0].length === 1)
    .map(({ weights }) => (weights as Rows[])[0][0]);
  if (rows.length === 0) return null;
  return Array.from(
    { length: size },
    (_, i) => rows.reduce((sum, row) => sum + row[i], 0) / rows.length,
  );
}

function sidesOf(side: Side): ReviewSide[] {
  const { part } = side;
  const gated = part.attributions.filter(({ method }) => method === "gates");
  return part.segment.axes.flatMap((id) => {
    const reviews = part.axis(id);
    const { of, spans, kind } = reviews.axis;
    if (!of || !spans || !ownKinds.includes(kind) || !part.segment.axes.includes(of))
      return [];
    const words = part.axis(of);
    const gates = gated.find(({ axis }) => axis === of)?.scores[0];
    const values = gates ?? meanOn(side, of, words.labels.length);
    return [
      {
        ...{ reviews, words, spans, gates: !!gates },
        pointers: meanOn(side, id, reviews.labels.length),
        values: values ?? words.labels.map(() => 0),
      },
    ];
  });
}

/** Places of those that count most, in their order. */
function shownReviews({ reviews, spans, pointers, values }: ReviewSide): number[] {
  const counts = reviews.labels.map(
    (_, r) => pointers?.[r] ?? Math.max(0, ...values.slice(...spans[r])),
  );
  return counts
    .map((count, r) => [count, r])
    .sort(([a, r], [b, s]) => b - a || r - s)
    .slice(0, mostReviews)
    .map(([, r]) => r)
    .sort((a, b) => a - b);
}

interface About {
  user?: string;
  item?: string;
  parts?: Record<"mean" | "user" | "item" | "reviews", number>;
}

/** How the rating is made up. */
function sumOf(side: Side): string {
  const target = side.part.targets[0];
  const about = side.part.axis(target.axis).axis.payload as About | undefined;
  if (!about?.parts) return "";
  const { mean, user, item, reviews } = about.parts;
  const signed = (value: number, what: string) =>
    ` ${value < 0 ? "−" : "+"} ${Math.abs(value).toFixed(2)} ${what}`;
  return (
    `${mean.toFixed(2)} mean${signed(user, "user")}${signed(item, "item")}` +
    signed(reviews, "reviews")
  );
}

/** One review: how much is at it, its name and its words. Returns where the next stands. */
function drawReview(
  picture: SVGSVGElement,
  side: ReviewSide,
  r: number,
  top: number,
  width: number,
  p: Palette,
): number {
  const pointer = side.pointers?.[r];
  if (pointer !== undefined) {
    addRect(picture, 0, top + 4, bar, 11, p.field);
    addRect(picture, 0, top + 4, bar * pointer, 11, p.ink, {
      class: "pointer",
      "data-weight": String(pointer),
    });
  }
  const x0 = pointer === undefined ? 0 : bar + 8;
  addText(picture, x0, top + 14, fitText(side.reviews.labels[r], small, left - x0 - 8), {
    size: small,
    fill: pointer ? p.text : p.quiet,
    weight: pointer ? 600 : undefined,
  });
  const most = Math.max(1e-9, ...side.values);
  let x = left;
  const [begin, end] = side.spans[r];
  for (let i = begin; i < end; i++) {
    const word = fitText(side.words.labels[i], font, 180);
    const room = textWidth(word, font) + 6;
    if (x > left && x + room > width) {
      x = left;
      top += lineHeight;
    }
    const strength = Math.max(0, side.values[i]) / most;
    const chip = addRect(picture, x, top, room, lineHeight - 3, p.ink, {
      class: "review-word",
      "fill-opacity": strength.toFixed(3),
      "data-weight": String(side.values[i]),
    });
    chip.append(
      Object.assign(document.createElementNS("http://www.w3.org/2000/svg", "title"), {
        textContent: `${side.words.labels[i]}: ${shortNumber(side.values[i])}`,
      }),
    );
    addText(picture, x + 3, top + 14, word, {
      size: font,
      fill: strength > 0 ? textOn(p, strength, p.ink, p.paper) : p.text,
    });
    x += room + 2;
  }
  return top + lineHeight + 4;
}

/** Which review of the item fits each of the user's, for each pointer. */
function drawAffinity(
  side: Side,
  { weights, title, query, key }: Side["part"]["maps"][number],
  p: Palette,
): SVGSVGElement {
  const rows = (weights as Rows[])[0];
  const [users, items] = [side.part.axis(query), side.part.axis(key)];
  const cell = Math.max(8, Math.min(22, 300 / Math.max(rows.length, rows[0].length)));
  const room = 110;
  const picture = newPicture(room + cell * rows[0].length + 4, 10, title);
  addText(picture, 0, 14, title, { size: font, fill: p.title, weight: 600 });
  const most = Math.max(1e-9, ...rows.flat());
  rows.forEach((row, t) => {
    const y = 24 + t * cell;
    addText(picture, room - 6, y + cell / 2 + 4, fitText(users.labels[t], small, room), {
      ...{ size: small, fill: p.quiet, anchor: "end" },
    });
    row.forEach((weight, s) => {
      addRect(picture, room + s * cell, y, cell - 1, cell - 1, p.field);
      const one = addRect(picture, room + s * cell, y, cell - 1, cell - 1, p.ink, {
        class: "affinity",
        "fill-opacity": (weight / most).toFixed(3),
      });
      one.append(
        Object.assign(document.createElementNS("http://www.w3.org/2000/svg", "title"), {
          textContent: `${users.labels[t]}, ${items.labels[s]}: ${shortNumber(weight)}`,
        }),
      );
    });
  });
  return resize(
    picture,
    Math.max(room + cell * rows[0].length, textWidth(title, font)) + 4,
    28 + rows.length * cell,
  );
}

function reviewsView(side: Side, options: ViewOptions): View {
  const p = options.palette;
  const width = Math.max(options.width, 480);
  const sum = sumOf(side);
  const pictures = sidesOf(side).map((one) => {
    const shown = shownReviews(one);
    const picture = newPicture(width, 10, one.reviews.name);
    const rest =
      shown.length < one.spans.length ? `, ${shown.length} of ${one.spans.length}` : "";
    const gates = one.gates ? " (words by their gates)" : "";
    addText(picture, 0, 14, one.reviews.name + rest + gates, {
      ...{ size: font, fill: p.title, weight: 600 },
    });
    let top = 24;
    for (const r of shown) top = drawReview(picture, one, r, top, width, p);
    return resize(picture, width, top);
  });
  const maps = side.part.maps
    .filter(({ query, key }) => {
      const axes = [query, key].map((id) => side.part.axis(id));
      return axes.every(({ kind }) => ownKinds.includes(kind));
    })
    .map((map) => drawAffinity(side, map, p));
  const note =
    maps.length > 0
      ? "A bar shows how much of the pointers is at a review. The maps show which review " +
        "of the item fits each of the user's."
      : "Words are as dark as their gates let them pass.";
  const all = [...pictures, ...maps];
  return {
    element: h(
      "div.reviews-view",
      sum === "" ? null : h("p.note.rating-sum", `${side.part.answer} = ${sum}`),
      ...all.map((picture) => h("div.figure", { tabindex: 0, role: "group" }, picture)),
      h("p.note", note),
    ),
    pictures: () => all,
  };
}

export const reviewsOfBoth: ViewRow = {
  name: "reviews",
  title: "Reviews",
  switches: [],
  kinds: ownKinds,
  leads: true,
  accepts: (side) =>
    sidesOf(side).length > 0 ? null : "No reviews were read for this answer.",
  make: reviewsView,
};
