/** The page. An entry of its own registers further kinds and views, and starts it. */
import "../kinds";
import "../views";
import "./style/base.css";
import "./style/page.css";

import { App } from "./app";

export function start(): void {
  void new App().start();
}
