import { en } from "./en";
import type { Texts } from "./shape";

export const ar: Texts = en;
