import {
  button,
  clamp,
  h,
  isolate,
  needsAttention,
  pictureView,
  type Side,
  type View,
  type ViewRow,
} from "../core";

const secondsPerStep = 0.9;

/** Shows the rows one after another. */
function framesView(side: Side): View {
  const shown = side.attention;
  const count = shown.weights.length;
  const lines = pictureView(side, side.madePictures(["lines"]));
  const stepButton = (name: string, text: string, by: number) =>
    button(text, { "aria-label": name, title: name }, () => go(side.step + by));
  const play = button("Play", { class: "plain play" }, () => toggle());
  const slider = h("input", {
    type: "range",
    min: 1,
    max: Math.max(count, 1),
    step: 1,
    "aria-label": "Frame",
    oninput: () => go(Number(slider.value) - 1),
  });
  const place = h("output.place");
  let drawn = -1;
  let timer: number | undefined;

  const paint = () => {
    lines.paint?.();
    const row = side.focus?.target === undefined ? side.focus?.row : null;
    const step = Math.min(row ?? side.step, count - 1);
    if (step === drawn) return;
    drawn = step;
    slider.value = String(step + 1);
    place.textContent = `${step + 1} of ${count}`;
    const word = isolate(side.rowLabels(shown)[step]);
    slider.setAttribute("aria-valuetext", `${place.textContent}: ${word}`);
  };
  const go = (step: number) => {
    side.step = clamp(step, 0, count - 1);
    side.rest({ row: side.step, column: null });
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    play.textContent = "Play";
  };
  const toggle = () => {
    if (timer !== undefined) return stop();
    if (side.step >= count - 1) go(0);
    play.textContent = "Pause";
    timer = window.setInterval(() => {
      go(side.step + 1);
      if (side.step >= count - 1) stop();
    }, secondsPerStep * 1000);
  };
  go(side.step);
  const note =
    `One frame for each row (${shown.query.name}): its lines are its weights. Arrow keys ` +
    "step, the space bar plays.";
  return {
    element: h(
      "div",
      h(
        "div.player",
        { role: "group", "aria-label": "Frames" },
        stepButton("Previous frame", "‹", -1),
        play,
        stepButton("Next frame", "›", 1),
        slider,
        place,
      ),
      lines.element,
      h("p.note", note),
    ),
    pictures: () => lines.pictures(),
    paint,
    key({ key, target }) {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
      const isPlay = key === " " && !(target instanceof HTMLButtonElement);
      if (isPlay) toggle();
      else if (by && target !== slider) go(side.step + by);
      else return false;
      return true;
    },
    close() {
      stop();
      side.rest(null);
    },
  };
}

export const frames: ViewRow = {
  name: "frames",
  title: "Frames",
  switches: ["words", "scale"],
  picture: "lines",
  accepts: needsAttention,
  make: framesView,
};
