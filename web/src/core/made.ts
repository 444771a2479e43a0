import { isDark } from "./theme";

/** Rules in their order, those of the page's brightness among them. */
function rulesOf(css: string): CSSStyleRule[] {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return [...sheet.cssRules].flatMap((rule): CSSStyleRule[] => {
    if (rule instanceof CSSStyleRule) return [rule];
    if (!(rule instanceof CSSMediaRule)) return [];
    const forDark = rule.conditionText.includes("dark");
    return forDark === isDark() ? ([...rule.cssRules] as CSSStyleRule[]) : [];
  });
}

/** A picture that was drawn where the explanation was made, as those of the page are: all
 * its colours and fonts in attributes, so that a part of a sheet needs no style of its own. */
export function pictureOfMade(svg: string): SVGSVGElement {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
  const picture = document.importNode(parsed.documentElement, true) as Element;
  if (!(picture instanceof SVGSVGElement)) throw new Error("This is no picture.");
  const styles = [...picture.querySelectorAll("style")];
  const rules = styles.flatMap((style) => rulesOf(style.textContent ?? ""));
  for (const style of styles) style.remove();
  for (const { selectorText, style } of rules) {
    const chosen = [picture, ...picture.querySelectorAll("*")].filter((one) =>
      one.matches(selectorText),
    );
    for (const name of style) {
      for (const one of chosen) one.setAttribute(name, style.getPropertyValue(name));
    }
  }
  // No rule of the page is meant for them.
  for (const one of [picture, ...picture.querySelectorAll("[class]")]) {
    one.removeAttribute("class");
  }
  return picture;
}
