import "./drawn_view.css";

import { errorWords, h } from "./dom";
import type { MadePicture } from "./explanation";
import { pictureOfMade } from "./made";
import { Painter } from "./painter";
import type { View, ViewRow } from "./registry";
import { colouring } from "./scale";
import type { Side } from "./side";

/** True if a picture belongs to the displayed axes or shows several attention maps. */
function fits({ shown, part }: Side, { map, words }: MadePicture): boolean {
  if (map === undefined) return true;
  const own = part.maps.find(({ name }) => name === map);
  const isAlike = own?.query === shown?.map.query && own?.key === shown?.map.key;
  return isAlike && words === shown?.byWord;
}

/** Interactive view of pictures drawn by heed/render. The weights of the selected head
 * are drawn into pictures of one attention map. */
export function pictureView(side: Side, requested: Promise<MadePicture[]>): View {
  let drawn: SVGSVGElement[] = [];
  let painters: Painter[] = [];
  const paint = () => painters.forEach((painter) => painter.paint());
  const holder = h("div", h("p.loading", { role: "status" }, "Loading the picture…"));
  const show = (pictures: MadePicture[]) => {
    const own = pictures.filter((one) => fits(side, one));
    drawn = own.map(({ svg }) => pictureOfMade(svg));
    painters = drawn.map((picture, i) => new Painter(picture, side, own[i].words));
    holder.replaceChildren(...drawn.map((picture) => h("div.picture", picture)));
    if (own.length === 0) holder.append(h("p.note", "No picture is available."));
    if (own.some(({ map }) => map) && side.shown) {
      const { legend } = colouring(side.scale, side.shown.weights, "attention weight");
      holder.append(h("p.note", `Shown: ${legend}.`));
    }
    paint();
  };
  requested
    .then(show)
    .catch((error: unknown) => holder.replaceChildren(h("p.problem", errorWords(error))));
  return { element: holder, pictures: () => drawn, paint };
}

/** Row of a view drawn in C++. Shown by default if the segment supports it. */
export function drawnView(name: string, title: string, kinds?: string[]): ViewRow {
  return {
    ...{ name, title, kinds, switches: [], leads: true, picture: name },
    accepts: ({ part }) =>
      part.segment.views?.includes(name)
        ? null
        : "This answer has no such picture. Saliency shows what it depended on.",
    make: (side) => pictureView(side, side.madePictures([name])),
  };
}
