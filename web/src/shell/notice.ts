import { ApiError, setApiKey } from "../core/api";
import { byId, h } from "../core/dom";

const holder = byId("notice");

export function clearNotice(): void {
  holder.hidden = true;
}

/** Says what went wrong, and offers to try again: where the server refuses without a key,
 * with one. */
export function report(error: unknown, again?: () => void): void {
  const words = error instanceof Error ? error.message : String(error);
  holder.replaceChildren(h("p", {}, words));
  holder.hidden = false;
  if (!again) return;
  if (!(error instanceof ApiError && error.asksForKey)) {
    const button = h("button", { type: "button", class: "plain" }, "Try again");
    button.addEventListener("click", again);
    holder.append(button);
    return;
  }
  const field = h("input", {
    type: "password",
    autocomplete: "off",
    "aria-label": "API key",
  });
  const form = h(
    "form",
    { class: "key" },
    field,
    h("button", { type: "submit" }, "Use key"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    setApiKey(field.value);
    again();
  });
  holder.append(form);
}
