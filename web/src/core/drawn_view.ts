import "./drawn_view.css";

import { errorWords, h } from "./dom";
import { pictureOfMade } from "./made";
import { Painter } from "./painter";
import type { View, ViewRow } from "./registry";
import type { Side } from "./side";

/** The picture of a view of heed/render as it was drawn, which can be pointed at. */
function pictureView(side: Side, name: string): View {
  let drawn: SVGSVGElement[] = [];
  let painters: Painter[] = [];
  const paint = () => painters.forEach((painter) => painter.paint());
  const holder = h("div", h("p.loading", { role: "status" }, "Asking for the picture…"));
  side.madePictures().then(
    (pictures) => {
      const own = pictures.filter(({ view }) => view === name);
      drawn = own.map(({ svg }) => pictureOfMade(svg));
      painters = drawn.map((picture) => new Painter(picture, side));
      holder.replaceChildren(...drawn.map((picture) => h("div.picture", picture)));
      paint();
    },
    (error: unknown) => holder.replaceChildren(h("p.problem", errorWords(error))),
  );
  return { element: holder, pictures: () => drawn, paint };
}

/** A view that is drawn in C++: it is shown first where a segment can have it. */
export function drawnView(name: string, title: string, kinds: string[]): ViewRow {
  return {
    ...{ name, title, kinds, switches: [], leads: true },
    accepts: ({ part }) =>
      part.segment.views?.includes(name)
        ? null
        : "This answer has no such picture. Saliency shows what it depended on.",
    make: (side) => pictureView(side, name),
  };
}
