import { createApp } from "../_shared/http/app.ts";
import { embed } from "../_shared/search/worker.ts";

Deno.serve(createApp({ "/embed": embed }).fetch);
