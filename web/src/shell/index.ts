/** The page. Another entry point registers further kinds and views, and starts it. */
import "../kinds";
import "../views";
import "./style/base.css";
import "./style/page.css";

import { App } from "./app";

export function start(): void {
  void new App().start();
}
