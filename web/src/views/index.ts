/** The views, in the order of their tabs. */
import { registerView } from "../core";
import { computation } from "./computation";
import { contributions } from "./contributions";
import { document } from "./document";
import { frames } from "./frames";
import { heads } from "./heads";
import { heatmap } from "./heatmap";
import { lines } from "./lines";
import { memory } from "./memory";
import { overlay } from "./overlay";
import { path } from "./path";
import { reviewsOfBoth } from "./reviews";
import { saliency } from "./saliency";
import { stars } from "./star";

registerView(heatmap);
registerView(lines);
registerView(frames);
registerView(computation);
registerView(heads);
registerView(saliency);
registerView(contributions);
registerView(document);
registerView(reviewsOfBoth);
registerView(stars);
registerView(memory);
registerView(path);
registerView(overlay);
