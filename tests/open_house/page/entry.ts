/** The page of Heed with one more kind of input and one more view. */
import { registerKind, registerView } from "heed-page/core";
import { start } from "heed-page/shell";

import { colours } from "./colours";
import { strip } from "./strip";

registerKind(strip);
registerView(colours);
start();
