import "./style.css";

import { App } from "./app";

void new App().start();
