/** Views in the order of their tabs. */
import { drawnView, needsAttention, pictureView, registerView } from "../core";
import { computation } from "./computation";
import { frames } from "./frames";
import { heads } from "./heads";
import { heatmap } from "./heatmap";
import { model } from "./model";
import { overlay } from "./overlay";
import { saliency } from "./saliency";

registerView(heatmap);
registerView({
  ...drawnView("lines", "Lines"),
  ...{ switches: ["words", "scale"], leads: false, accepts: needsAttention },
});
registerView(frames);
registerView(computation);
registerView(heads);
registerView(saliency);
registerView(drawnView("contributions", "Contributions", ["timeline"]));
registerView(drawnView("document", "Document", ["document"]));
registerView(drawnView("reviews", "Reviews", ["reviews"]));
registerView(drawnView("passage", "Passage", ["passage"]));
registerView(drawnView("graph", "Graph", ["graph"]));
registerView({
  ...drawnView("memory", "Memory", ["memory"]),
  switches: ["scale"],
  make: (side, { scale }) => pictureView(side, side.madePictures(["memory"], scale)),
});
registerView(drawnView("path", "Path of looks", ["image"]));
registerView(overlay);
registerView(drawnView("input", "Spectrogram", ["audio"]));
registerView(model);
