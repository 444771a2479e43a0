/** The page of Heed with one more kind of input and one more view. */
import { drawnView, registerKind, registerView } from "heed-page/core";
import { start } from "heed-page/shell";

import { strip } from "./strip";

registerKind(strip);
registerView(drawnView("colours", "Colours", ["strip"]));
start();
