import type { ModelInfo } from "./api";

const ofLanguage: Record<string, string[]> = {
  de: ["Ein Mann schläft auf einer Bank.", "Zwei kleine Kinder spielen im Park."],
  en: [
    "A man is sleeping on a green bench.",
    "Two small children are playing in the park.",
  ],
  fr: ["Un homme dort sur un banc vert.", "Deux enfants jouent dans le parc."],
  es: ["Un hombre duerme en un banco verde.", "Dos niños juegan en el parque."],
  ja: ["男の人がベンチで寝ている。"],
};

const ofTask: Record<string, string[]> = {
  tag: ["Angela Merkel visited Paris in May 2017 .", "I like the small red house ."],
  slots: ["play the new album by miles davis", "book a table for two in boston tomorrow"],
  classify: [
    "A warm, clever film that I would gladly see again.",
    "Dull from start to finish.",
  ],
  lm: ["The man who was sitting on the", "Once upon a time there"],
};

/** Sentences to begin with: the model's own, or some of its language or task. */
export function examplesFor(model: ModelInfo): string[] {
  if (model.example) return [model.example];
  const language = (model.source ?? "").slice(0, 2).toLowerCase();
  if (model.task === "translate") {
    return ofLanguage[language] ?? [ofLanguage.de[0], ofLanguage.en[0], "12 March 1987"];
  }
  return ofTask[model.task] ?? ofLanguage[language] ?? ofLanguage.en;
}

export function aboutModel(model: ModelInfo): string {
  const languages =
    model.source && model.target ? ` ${model.source} → ${model.target}` : "";
  return `${model.task}${languages}`;
}
