import { start } from "./shell";

start();
