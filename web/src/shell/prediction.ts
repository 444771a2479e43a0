import {
  button,
  h,
  isolate,
  kindNamed,
  shortNumber,
  type Side,
  type Target,
} from "../core";

function bars(side: Side, target: Target, at: number): HTMLElement {
  const predicted = { label: side.part.label(target), probability: target.probability };
  const rows = [predicted, ...(target.alternatives ?? [])].map(
    ({ label, probability }, i) => {
      const bar = h("span.bar");
      bar.style.setProperty("--w", `${100 * (probability ?? 0)}%`);
      const share = probability == null ? "" : `${shortNumber(100 * probability)} %`;
      const words = `Why ${isolate(predicted.label)}, not ${isolate(label)}?`;
      const why = () => side.setContrast({ target: at, label });
      const canAsk = i > 0 && side.canAsk;
      return h(
        i === 0 ? "tr.said" : "tr",
        h("th", { scope: "row" }, h("bdi", label)),
        h("td", bar),
        h("td.share", share),
        h("td", canAsk ? button("why not?", { "aria-label": words }, why) : null),
      );
    },
  );
  return h("table.shares", h("tbody", ...rows));
}

/** Shows the probability of a target, its alternatives, and buttons for contrastive
 * explanations. */
export function predictionPanel(side: Side): HTMLElement {
  const at = side.target;
  const target = at === null ? undefined : side.part.targets[at];
  if (at === null || !target) return h("div", { hidden: true });
  const predicted = isolate(side.part.label(target));
  const close = button("×", { "aria-label": "Close" }, () => side.setTarget(null));
  const isKnown = target.probability !== undefined || target.alternatives?.length;
  // One of several words in a row, which an alternative can replace.
  const { kind } = side.part.axis(target.axis);
  const isWord =
    kindNamed(kind).isWords &&
    !side.part.anchorOf(target) &&
    side.part.targets.some((one) => one.axis === target.axis && one.item !== target.item);
  const field = h("input", {
    dir: "auto",
    autocomplete: "off",
    "aria-label": `Why ${predicted}, not this`,
    placeholder: isWord ? "another word" : "another answer",
  });
  const onsubmit = (event: Event) => {
    event.preventDefault();
    const label = field.value.trim();
    if (label) side.setContrast({ target: at, label });
  };
  const submit = h("button.toggle", { type: "submit" }, "Explain");
  return h(
    "section.prediction",
    { "aria-label": `Prediction of ${predicted}` },
    h("div.card-head.row", h("p.label", `Prediction: ${predicted}`), close),
    isKnown ? bars(side, target, at) : h("p.note", "The model gives no probability."),
    side.canAsk
      ? h("form.why.row", { onsubmit }, h("span", `Why ${predicted}, not`), field, submit)
      : null,
  );
}
