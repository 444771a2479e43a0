/** Library for kinds and views; other folders import it as "heed-page/core". */
export * from "./dom";
export * from "./drawn_view";
export * from "./explanation";
export * from "./figure";
export * from "./file_field";
export * from "./files";
export * from "./made";
export * from "./matrix";
export * from "./numbers";
export * from "./painter";
export * from "./plot";
export * from "./registry";
export * from "./scale";
export * from "./side";
export * from "./sound";
export * from "./svg";
export * from "./theme";
export type { Chosen } from "./address";
