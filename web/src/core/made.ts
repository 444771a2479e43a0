import { isDark } from "./theme";

/** Returns the rules in order, including those for the current colour scheme. */
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

/** Converts a picture drawn with the explanation to the page's form. All colours and
 * fonts become attributes, so that it works in a sheet without styles. */
export function pictureOfMade(svg: string): SVGSVGElement {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
  const picture = document.importNode(parsed.documentElement, true) as Element;
  if (!(picture instanceof SVGSVGElement)) throw new Error("This is not a picture.");
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
  // The page's style rules must not apply.
  for (const one of [picture, ...picture.querySelectorAll("[class]")]) {
    one.removeAttribute("class");
  }
  return picture;
}
