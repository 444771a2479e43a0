import "./path.css";

import {
  add,
  addRect,
  addText,
  button,
  clamp,
  h,
  newPicture,
  type Side,
  type View,
  type ViewOptions,
  type ViewRow,
} from "../core";

/** A look: its windows [left, top, side] in pixels, the smallest first, and what was seen in
 * each, PNG files in base64. */
interface Look {
  windows: [number, number, number][];
  seen: string[];
}

interface LookedAt {
  width: number;
  height: number;
  png: string;
  looks?: Look[];
}

const most = 420;
/** Seen on dark and on light images. */
const colour = "#ff8a3d";

function lookedAt(side: Side): LookedAt | null {
  const payloads = side.part.segment.axes.map(
    (id) => side.part.axis(id).axis.payload as LookedAt | undefined,
  );
  return payloads.find((payload) => payload?.looks?.length) ?? null;
}

/** The image with the windows of each look and the way between them. */
function drawPath({ width, height, png, looks = [] }: LookedAt, room: number) {
  const scale = Math.min(room, most) / Math.max(width, height);
  const [w, tall] = [width * scale, height * scale];
  const picture = newPicture(w, tall, `Where the model looked, in ${looks.length} looks`);
  add(picture, "image", {
    width: w,
    height: tall,
    preserveAspectRatio: "none",
    style: "image-rendering: pixelated",
    href: `data:image/png;base64,${png}`,
  });
  const centres = looks.map(({ windows: [[left, top, side]] }): [number, number] => [
    scale * (left + side / 2),
    scale * (top + side / 2),
  ]);
  add(picture, "path", {
    d: centres
      .map(([x, y], t) => `${t ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`)
      .join(""),
    fill: "none",
    stroke: colour,
    "stroke-width": 2,
  });
  const groups = looks.map(({ windows }, t) => {
    const group = add(picture, "g", { class: "look", "data-look": t + 1 });
    windows.forEach(([left, top, side], i) => {
      const extent = side * scale;
      const rect = addRect(picture, left * scale, top * scale, extent, extent, "none", {
        stroke: colour,
        "stroke-width": i === 0 ? 2 : 1,
        "stroke-dasharray": i === 0 ? null : "2 4",
      });
      group.append(rect);
    });
    const x = clamp(centres[t][0], 10, w - 10);
    const y = clamp(centres[t][1], 10, tall - 10);
    group.append(add(picture, "circle", { cx: x, cy: y, r: 10, fill: colour }));
    const style = { size: 12, fill: "#000", anchor: "middle", weight: 600 } as const;
    group.append(addText(picture, x, y + 4.3, String(t + 1), style));
    return group;
  });
  // The first on top where several stand together.
  for (const group of [...groups].reverse()) picture.append(group);
  return { picture, groups };
}

function pathView(side: Side, { width }: ViewOptions): View {
  const image = lookedAt(side)!;
  const looks = image.looks!;
  const { picture, groups } = drawPath(image, width);
  let chosen: number | null = null;
  const shown = looks.map(({ windows, seen }, t) => {
    const [[left, top, extent]] = windows;
    const name = `Look ${t + 1}: columns ${left + 1} to ${left + extent}, rows ${top + 1} to ${top + extent}`;
    const images = seen.map((png) =>
      h("img", { src: `data:image/png;base64,${png}`, alt: "" }),
    );
    const one = button(
      "",
      { class: "look-seen", title: name, "aria-label": name },
      () => {
        chosen = chosen === t ? null : t;
        point(chosen);
      },
    );
    one.setAttribute("aria-pressed", "false");
    one.append(h("span", String(t + 1)), ...images);
    one.addEventListener("pointerenter", () => point(t));
    one.addEventListener("pointerleave", () => point(chosen));
    return one;
  });
  /** Only look `at` stands out; null: all are alike. */
  const point = (at: number | null) => {
    groups.forEach((group, t) => {
      group.setAttribute("opacity", at === null || at === t ? "1" : "0.25");
      shown[t].setAttribute("aria-pressed", String(t === chosen));
    });
  };
  const note =
    "Numbered in the order of the looks: windows as they were seen, drawn through the smallest; below, what was seen in them.";
  return {
    element: h("div.path", h("p.note", note), picture, h("div.look-strip", ...shown)),
    pictures: () => [picture],
  };
}

export const path: ViewRow = {
  name: "path",
  title: "Path of looks",
  switches: [],
  kinds: ["image"],
  leads: true,
  accepts: (side) =>
    lookedAt(side)
      ? null
      : "This model sees an image as a whole. Saliency shows what its answer depended on.",
  make: pathView,
};
