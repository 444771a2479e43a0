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
  pretrain: ["A man is [MASK] on a green bench .", "Two children [MASK] in the park ."],
  lm: ["The man who was sitting on the", "Once upon a time there"],
  retrieve: [
    "how do I mount a disk\tan external drive is not shown after plugging it in",
  ],
  forecast: [],
};

const promptOfTask: Record<string, string> = {
  retrieve: "Paste a query, a tab and a text, and press Enter",
  forecast: "Paste a CSV file, its header and at least a window of rows, and press Enter",
};

/** What the empty field asks for. */
export function promptFor(model: ModelInfo): string {
  return promptOfTask[model.task] ?? "Type a sentence and press Enter";
}

/** Sentences to begin with, of the model's language or task; none where it takes data. */
export function examplesFor(model: ModelInfo): string[] {
  const language = (model.source ?? "").slice(0, 2).toLowerCase();
  if (model.task === "translate") {
    // So few tokens are characters, as in spelling and dates.
    const ofCharacters = (model.source_vocabulary ?? Infinity) < 150;
    const unknown = ofCharacters ? ["attention", "12 March 1987"] : [];
    return (
      ofLanguage[language] ??
      unknown.concat(ofCharacters ? [] : [...ofLanguage.de, ...ofLanguage.en])
    );
  }
  return ofTask[model.task] ?? ofLanguage[language] ?? ofLanguage.en;
}

function count(n: number): string {
  return n >= 1e6 ? `${(n / 1e6).toFixed(1)} M` : `${Math.max(1, Math.round(n / 1e3))} k`;
}

/** "translate en → de · transformer-tiny · 2.6 M parameters" */
export function aboutModel(model: ModelInfo): string {
  const named = model.source && model.target && model.source !== "source";
  const parts = [model.task + (named ? ` ${model.source} → ${model.target}` : "")];
  if (model.model) parts.push(model.model);
  if (model.parameters) parts.push(`${count(model.parameters)} parameters`);
  return parts.join(" · ");
}
