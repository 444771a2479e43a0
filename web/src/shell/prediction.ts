import { h, isolate } from "../core/dom";
import type { Target } from "../core/explanation";
import { shortNumber } from "../core/numbers";
import type { Side } from "../core/side";

const percent = (share: number) => `${shortNumber(100 * share)} %`;

function bars(side: Side, target: Target, at: number): HTMLElement {
  const said = { label: side.part.label(target), probability: target.probability };
  const rows = [said, ...(target.alternatives ?? [])].map(({ label, probability }, i) => {
    const bar = h("span", { class: "bar" });
    bar.style.setProperty("--w", `${100 * (probability ?? 0)}%`);
    const name = h("bdi", {}, label);
    let ask: HTMLElement | null = null;
    if (i > 0 && side.canAsk) {
      const words = `Why ${isolate(said.label)}, not ${isolate(label)}?`;
      ask = h(
        "button",
        { type: "button", class: "plain", "aria-label": words },
        "why not?",
      );
      ask.addEventListener("click", () => side.setContrast({ target: at, label }));
    }
    return h(
      "tr",
      { class: i === 0 ? "said" : null },
      h("th", { scope: "row" }, name),
      h("td", {}, bar),
      h("td", { class: "share" }, probability == null ? "" : percent(probability)),
      h("td", {}, ask),
    );
  });
  return h("table", { class: "shares" }, h("tbody", {}, ...rows));
}

/** How sure the model was of one thing that it said, what else it might have said, and a
 * way to ask why it did not. */
export function predictionPanel(side: Side): HTMLElement {
  const at = side.target;
  const target = at === null ? undefined : side.part.targets[at];
  if (at === null || !target) return h("div", { hidden: true });
  const said = isolate(side.part.label(target));
  const close = h(
    "button",
    { type: "button", class: "plain", "aria-label": "Close" },
    "×",
  );
  close.addEventListener("click", () => side.setTarget(null));
  const panel = h(
    "section",
    { class: "prediction", "aria-label": `Prediction of ${said}` },
    h(
      "div",
      { class: "card-head" },
      h("p", { class: "label" }, `Prediction: ${said}`),
      close,
    ),
  );
  const known = target.probability !== undefined || target.alternatives?.length;
  panel.append(
    known
      ? bars(side, target, at)
      : h("p", { class: "note" }, "The model gives no probability."),
  );
  if (side.canAsk) {
    const field = h("input", {
      dir: "auto",
      autocomplete: "off",
      "aria-label": `Why ${said}, not this`,
      placeholder: "another word",
    });
    const form = h(
      "form",
      { class: "why" },
      h("span", {}, `Why ${said}, not`),
      field,
      h("button", { type: "submit", class: "toggle" }, "Explain"),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const label = field.value.trim();
      if (label) side.setContrast({ target: at, label });
    });
    panel.append(form);
  }
  return panel;
}
