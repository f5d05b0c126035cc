// A stack that the test kills: one function idles, one is in an endless loop.

import { until } from "../../../tests/eventually.js";
import { openProject } from "./functions-setup.js";

const say = `console.log("pid", Deno.pid);`;
const project = await openProject({
  "functions/idle/index.ts": `${say} Deno.serve(() => new Response("ok"));`,
  "functions/loop/index.ts": `${say} Deno.serve(() => { console.log("spinning"); for (;;); });`,
});
void project.call("/loop");
await until(() => project.heard("loop", "spinning"));
console.log(`root ${project.root}`);
console.log(project.lines.join("\n"));
