import { palette, titleOf } from "../core";
import {
  composeSheet,
  fileName,
  savePng,
  saveText,
  sheetText,
  type Captioned,
} from "../core/download";
import type { Answer } from "./answer";
import type { Stage } from "./stage";
import { nameOf } from "./texts";

/** An answer, and its views below once it is explained. */
export interface Answered {
  answer: Answer;
  stage: Stage | null;
}

/** Returns all displayed pictures on one sheet; null if there are none. */
function sheetOf(entries: Answered[], difference: SVGSVGElement[]): SVGSVGElement | null {
  const groups = entries
    .flatMap(({ stage, answer }): Captioned[] => {
      if (!stage) return [];
      const { kind, text } = stage.side.part;
      const pictures = [...answer.pictures(), ...stage.pictures()];
      return [{ title: titleOf(kind, text), subtitle: stage.subtitle, pictures }];
    })
    .filter((group) => group.pictures.length > 0);
  if (groups.length === 0) return null;
  if (difference.length > 0) {
    groups.push({ title: "First minus second", subtitle: "", pictures: difference });
  }
  return composeSheet(groups, palette());
}

/** Omits empty lists of results that were not requested: an empty list means "none",
 * not "not computed". */
function withoutEmpty(key: string, value: unknown): unknown {
  const isRequested = ["attributions", "agreements", "panels"].includes(key);
  return isRequested && Array.isArray(value) && value.length === 0 ? undefined : value;
}

/** Saves the display to a file named by models, text and view. */
export async function savePage(
  entries: Answered[],
  difference: SVGSVGElement[],
  view: string,
  as: "svg" | "png" | "json",
): Promise<void> {
  const sides = entries.flatMap(({ stage }) => stage?.side ?? []);
  if (sides.length === 0) return;
  const models = sides.map(({ name }) => name).join("-");
  const what = as === "json" ? "explanation" : view;
  const name = fileName([models, nameOf(sides[0].explanation), what], as);
  if (as === "json") {
    const all = sides.map(({ explanation }) => explanation);
    const json = JSON.stringify(all.length === 1 ? all[0] : all, withoutEmpty, 1);
    saveText(`${json}\n`, "application/json", name);
    return;
  }
  const sheet = sheetOf(entries, difference);
  if (!sheet) return;
  if (as === "svg") saveText(sheetText(sheet), "image/svg+xml", name);
  else await savePng(sheet, name);
}
