/** Kinds of inputs and axes. The first one shows axes of unknown kinds by item names. */
import { registerKind } from "../core";
import { document } from "./document";
import { audio } from "./audio";
import { graph } from "./graph";
import { image } from "./image";
import { memory } from "./memory";
import { passage } from "./passage";
import { reviews } from "./reviews";
import { series } from "./series";
import { text } from "./text";
import { timeline } from "./timeline";

registerKind(text);
registerKind(series);
registerKind(graph);
registerKind(timeline);
registerKind(reviews);
registerKind(memory);
registerKind(image);
registerKind(document);
registerKind(audio);
registerKind(passage);
