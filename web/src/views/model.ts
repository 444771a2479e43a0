import "./model.css";

import {
  errorWords,
  h,
  pictureOfMade,
  type Side,
  type View,
  type ViewRow,
} from "../core";

/** Captions of the pictures, in display order. */
const captions: Record<string, string> = {
  model:
    "The structure of the model. A row is a layer, a column a position; arrows say what a box " +
    "reads. Wide lines from the source are the weights of one step.",
  step: "One step of the decoder: its computations, with their numbers.",
  embedding:
    "The inputs of the model: vectors of tokens, of places and of segments, their sum, and " +
    "the prediction.",
};

function figureOf(svg: string, view: string): HTMLElement {
  const src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  return h(
    "figure.made",
    h("figcaption", captions[view] ?? ""),
    h("img", { src, alt: captions[view] ?? view }),
  );
}

/** Shows pictures of the model itself, drawn by the server or with the explanation. */
function modelView(side: Side): View {
  let drawn: string[] = [];
  const holder = h("div", h("p.loading", { role: "status" }, "Loading the picture…"));
  side.madePictures(Object.keys(captions)).then(
    (pictures) => {
      const none = h("p.note", "This model has no picture.");
      const order = Object.keys(captions);
      const sorted = pictures.sort(
        (a, b) => order.indexOf(a.view) - order.indexOf(b.view),
      );
      drawn = sorted.map(({ svg }) => svg);
      const figures = sorted.map(({ svg, view }) => figureOf(svg, view));
      holder.replaceChildren(...(figures.length > 0 ? figures : [none]));
    },
    (error: unknown) => holder.replaceChildren(h("p.problem", errorWords(error))),
  );
  return { element: holder, pictures: () => drawn.map(pictureOfMade) };
}

export const model: ViewRow = {
  name: "model",
  title: "Model",
  switches: [],
  accepts: (side) =>
    side.canAsk || side.explanation.pictures?.some(({ view }) => view in captions)
      ? null
      : "This file holds no picture of it.",
  make: modelView,
};
