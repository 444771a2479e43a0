import { button, byId, errorWords, h } from "../core";
import { ApiError, setApiKey } from "../core/api";

const holder = byId("notice");

export function clearNotice(): void {
  holder.hidden = true;
}

/** Shows a note. */
export function note(words: string): void {
  holder.replaceChildren(h("p", words));
  holder.className = "note";
  holder.hidden = false;
}

/** Shows an error and a button to retry. If the server requires a key, asks for it. */
export function report(error: unknown, again?: () => void): void {
  holder.replaceChildren(h("p", errorWords(error)));
  holder.className = "problem";
  holder.hidden = false;
  if (!again) return;
  if (!(error instanceof ApiError && error.asksForKey)) {
    holder.append(button("Try again", {}, again));
    return;
  }
  const attributes = { type: "password", autocomplete: "off", "aria-label": "API key" };
  const field = h("input", attributes);
  const onsubmit = (event: Event) => {
    event.preventDefault();
    setApiKey(field.value);
    again();
  };
  const submit = h("button", { type: "submit" }, "Use key");
  holder.append(h("form.key.row", { onsubmit }, field, submit));
}
