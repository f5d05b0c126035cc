import { askForOwn } from "./workers.js";

/** The stack of this worker, which runs: the files of a worker share it, one after the other. */
export const ownStack = await askForOwn("stack");
