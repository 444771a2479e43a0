/** Heed's page with an additional kind of input and an additional view. */
import { drawnView, registerKind, registerView } from "heed-page/core";
import { start } from "heed-page/shell";

import { strip } from "./strip";

registerKind(strip);
registerView(drawnView("colours", "Colours", ["strip"]));
start();
