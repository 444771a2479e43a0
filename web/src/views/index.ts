/** The views, in the order of their tabs. */
import { drawnView, registerView } from "../core";
import { computation } from "./computation";
import { frames } from "./frames";
import { heads } from "./heads";
import { heatmap } from "./heatmap";
import { lines } from "./lines";
import { memory } from "./memory";
import { model } from "./model";
import { overlay } from "./overlay";
import { saliency } from "./saliency";
import { spectrogram } from "./spectrogram";

registerView(heatmap);
registerView(lines);
registerView(frames);
registerView(computation);
registerView(heads);
registerView(saliency);
registerView(drawnView("contributions", "Contributions", ["timeline"]));
registerView(drawnView("document", "Document", ["document"]));
registerView(drawnView("reviews", "Reviews", ["reviews"]));
registerView(drawnView("passage", "Passage", ["passage"]));
registerView(drawnView("graph", "Graph", ["graph"]));
registerView(memory);
registerView(drawnView("path", "Path of looks", ["image"]));
registerView(overlay);
registerView(spectrogram);
registerView(model);
