import {
  add,
  addRect,
  addText,
  fitText,
  h,
  momentsOf,
  newPicture,
  onLook,
  playPart,
  type Focus,
  type Side,
  type SoundPayload,
  type View,
  type ViewOptions,
  type ViewRow,
} from "../core";

const left = 116;
const tall = 150;
const rowHeight = 22;
const gap = 4;

/** The sound that is attended to. */
function heard(side: Side): SoundPayload | null {
  const payload = side.shown?.key.axis.payload as SoundPayload | undefined;
  return payload?.wav && payload.step ? payload : null;
}

/** Seconds between two marks of the time axis. */
function markEvery(whole: number): number {
  return [0.1, 0.2, 0.5, 1, 2, 5, 10, 30].find((every) => whole / every <= 10) ?? 60;
}

/** The spectrogram, and below it what each row attends to, which can be heard. */
function spectrogramView(side: Side, { width, palette }: ViewOptions): View {
  const shown = side.attention;
  const sound = heard(side)!;
  const labels = side.rowLabels(shown);
  const frames = shown.key.labels.length;
  const whole = Math.max(sound.seconds, frames * sound.step);
  const room = Math.min(width, 1100) - left - 4;
  const x = (at: number) => left + (at / whole) * room;
  const top = tall + 26;
  const picture = newPicture(
    left + room + 4,
    top + labels.length * (rowHeight + gap),
    `Spectrogram, and what each of ${labels.length} rows attends to in it`,
  );
  addRect(picture, left, 0, room, tall, palette.field);
  add(picture, "image", {
    ...{ x: left, width: x(sound.spectrogram_seconds) - left, height: tall },
    preserveAspectRatio: "none",
    href: `data:image/png;base64,${sound.png}`,
  });
  const every = markEvery(whole);
  for (let at = 0; at <= whole; at += every) {
    const text = `${Number(at.toFixed(2))} s`;
    const style = { size: 11, fill: palette.quiet, anchor: "middle" } as const;
    addText(picture, x(at), tall + 16, text, style);
  }
  const parts = labels.map((_, row) => momentsOf(shown.weights[row] ?? [], sound.step));
  const play = (row: number) => void playPart(sound, parts[row]);
  const groups = labels.map((label, row) => {
    const [begin, end] = parts[row];
    const group = add(picture, "g", {
      class: "sound-row",
      transform: `translate(0 ${top + row * (rowHeight + gap)})`,
      tabindex: 0,
      role: "button",
      style: "cursor: pointer",
      "aria-label": `Play ${label}: ${begin.toFixed(2)} to ${end.toFixed(2)} s`,
    });
    const style = { size: 13, fill: palette.text, anchor: "end" } as const;
    addText(group, left - 8, 16, fitText(label, 13, left - 12), style);
    addRect(group, left, 0, room, rowHeight, palette.field);
    const most = Math.max(...(shown.weights[row] ?? [])) || 1;
    shown.weights[row]?.forEach((weight, frame) => {
      const share = weight / most;
      if (share < 0.01) return;
      const from = x(frame * sound.step);
      addRect(
        group,
        from,
        0,
        x((frame + 1) * sound.step) - from,
        rowHeight,
        palette.ink,
        {
          "fill-opacity": share.toFixed(3),
          "data-weight": String(weight),
        },
      );
    });
    onLook(
      group,
      (at: number | null) => side.hover(at === null ? null : { row: at, column: null }),
      () => row,
    );
    group.addEventListener("click", () => play(row));
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      play(row);
    });
    return group;
  });
  const frame = addRect(picture, left, 0, 0, tall, "none", {
    stroke: palette.moved,
    "stroke-width": 2,
    visibility: "hidden",
  });
  const rowOf = (focus: Focus | null) =>
    focus?.target === undefined ? (focus?.row ?? null) : null;
  const note =
    "Each row is as vivid as its largest weight allows. Click a row to hear the part in " +
    "which nine tenths of its attention lie.";
  return {
    element: h("div", h("p.note", note), picture),
    pictures: () => [picture],
    paint() {
      const row = rowOf(side.focus);
      groups.forEach((group, at) =>
        group.setAttribute("opacity", row !== null && row !== at ? "0.45" : "1"),
      );
      frame.setAttribute("visibility", row === null ? "hidden" : "visible");
      if (row === null || !parts[row]) return;
      const [begin, end] = parts[row];
      frame.setAttribute("x", String(x(begin)));
      frame.setAttribute("width", String(x(Math.min(end, whole)) - x(begin)));
    },
  };
}

export const spectrogram: ViewRow = {
  name: "spectrogram",
  title: "Spectrogram",
  switches: [],
  kinds: ["audio"],
  leads: true,
  byChoice: true,
  accepts: (side) =>
    heard(side)
      ? null
      : "The attention on show is not to a sound. Choose another, or see Saliency.",
  make: spectrogramView,
};
