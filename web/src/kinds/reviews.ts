import {
  button,
  h,
  onLook,
  palette,
  round,
  rove,
  shortNumber,
  textOn,
  type AxesOnShow,
  type AxisView,
  type InputField,
  type InputOptions,
  type KindRow,
  type Side,
} from "../core";
import { textField } from "./text";

import "./reviews.css";

/** A pair of names; optional reviews replace those that the model has. */
interface Question {
  user: string;
  item: string;
  user_reviews?: string[];
  item_reviews?: string[];
}

/** Parses a line: JSON, or two names separated by a tab; null for anything else. */
function parseQuestion(text: string): Question | null {
  const names = text.split("\t");
  if (!text.trim().startsWith("{")) {
    return names.length === 2 ? { user: names[0].trim(), item: names[1].trim() } : null;
  }
  try {
    const value = JSON.parse(text) as Partial<Record<keyof Question, unknown>>;
    const name = (key: "user" | "item") => String(value[key] ?? "");
    const reviews = (key: "user_reviews" | "item_reviews") => {
      const list = value[key];
      const areTexts =
        Array.isArray(list) && list.every((one) => typeof one === "string");
      return areTexts ? { [key]: list as string[] } : {};
    };
    return {
      ...{ user: name("user"), item: name("item") },
      ...reviews("user_reviews"),
      ...reviews("item_reviews"),
    };
  } catch {
    return null;
  }
}

/** Returns the line of a question: two names if there are no reviews. */
function lineOf({ user, item, user_reviews, item_reviews }: Question): string {
  if (!user_reviews && !item_reviews) {
    return user || item ? `${user}\t${item}` : "";
  }
  const fields: Partial<Question> = {};
  if (user) fields.user = user;
  if (item) fields.item = item;
  if (user_reviews) fields.user_reviews = user_reviews;
  if (item_reviews) fields.item_reviews = item_reviews;
  return JSON.stringify(fields);
}

/** Field for a user and an item, and reviews of either, one per line; and the
 * equivalent line. */
function reviewsField(options: InputOptions): InputField {
  const line = textField({ ...options, prompt: "Or type one line" }, 2);
  const area = line.element as HTMLTextAreaElement;
  const sides = (["user", "item"] as const).map((side) => {
    const name = h("input", {
      type: "text",
      placeholder: side === "user" ? "User" : "Item",
      "aria-label": side === "user" ? "User" : "Item",
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => changed(),
      onkeydown: (event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        options.submit();
      },
    });
    const reviews = h("textarea", {
      rows: 3,
      placeholder:
        side === "user"
          ? "Reviews by the user, one on each line; empty: the known ones"
          : "Reviews of the item, one on each line; empty: the known ones",
      "aria-label": side === "user" ? "Reviews by the user" : "Reviews of the item",
      spellcheck: "false",
      oninput: () => changed(),
    });
    return { side, name, reviews };
  });
  const question = (): Question => {
    const [user, item] = sides.map(({ name, reviews }) => ({
      name: name.value.trim(),
      reviews: reviews.value.split("\n").filter((text) => text.trim() !== ""),
    }));
    return {
      ...{ user: user.name, item: item.name },
      ...(user.reviews.length > 0 ? { user_reviews: user.reviews } : {}),
      ...(item.reviews.length > 0 ? { item_reviews: item.reviews } : {}),
    };
  };
  const changed = () => {
    area.value = lineOf(question());
  };
  const showLine = () => {
    const fields = parseQuestion(area.value);
    if (!fields) return;
    sides.forEach(({ side, name, reviews }) => {
      name.value = fields[side];
      reviews.value = (fields[`${side}_reviews`] ?? []).join("\n");
    });
  };
  area.addEventListener("input", showLine);
  const hint = h("p.note", options.prompt);
  const pair = sides.map(({ name, reviews }) => h("div", name, reviews));
  return {
    ...line,
    element: h("div.reviews-field", hint, h("div.pair", ...pair), area),
    write(text) {
      line.write(text);
      showLine();
      if (text !== "") return;
      sides.forEach(({ name, reviews }) => (name.value = reviews.value = ""));
    },
    focus: () => sides[0].name.focus(),
  };
}

/** Shows each axis as a list of reviews with their weights. */
function showReviews(side: Side, axes: AxisView[]): AxesOnShow {
  const lists = axes.map((view) => {
    const chips = view.labels.map((label, i) => {
      const chip = button(label, { class: "word review" }, () => side.pinAt(view, i));
      onLook(
        chip,
        (at) => side.hover(at),
        () => side.focusAt(view, i),
      );
      return chip;
    });
    rove(chips, 0);
    const row = h(
      "div.words-row",
      h("p.label", view.name),
      h("div.review-list", { role: "group", "data-axis": view.id }, ...chips),
    );
    return { view, chips, row };
  });
  return {
    element: h("div.words", ...lists.map(({ row }) => row)),
    paint() {
      const p = palette();
      for (const { view, chips, row } of lists) {
        row.hidden = !side.isVisible(view.id);
        side.stateOf(view).forEach(({ weight, strength, chosen }, i) => {
          const chip = chips[i];
          chip.style.setProperty("--w", `${round(strength * 100)}%`);
          chip.style.color = strength > 0 ? textOn(p, strength, p.ink, p.paper) : "";
          chip.classList.toggle("chosen", chosen);
          chip.title = weight === undefined ? "" : shortNumber(weight);
          chip.dataset.weight = String(weight ?? "");
        });
      }
    },
  };
}

/** Returns "A1, B7", or a description of given reviews. */
function title(text: string): string {
  const fields = parseQuestion(text);
  if (!fields) return text;
  const { user, item, user_reviews, item_reviews } = fields;
  const named = (name: string, reviews: string[] | undefined, what: string) =>
    name || `${reviews?.length ?? 0} reviews ${what}`;
  return `${named(user, user_reviews, "by a user")}, ${named(item, item_reviews, "of an item")}`;
}

export const reviews: KindRow = {
  name: "reviews",
  input: reviewsField,
  title,
  items: () => "reviews",
  show: showReviews,
};
