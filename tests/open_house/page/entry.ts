/** The page of Heed with one more kind of input. */
import { registerKind } from "heed-page/core";
import { start } from "heed-page/shell";

import { strip } from "./strip";

registerKind(strip);
start();
