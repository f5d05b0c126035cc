import { watchAnswers } from "./watching.js";
import { askForOwn } from "./workers.js";

/** The running stack of this worker. The files of a worker share it, one after the other. */
export const ownStack = await askForOwn("stack");
watchAnswers(ownStack);
