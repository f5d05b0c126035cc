import { embed } from "../_shared/embeddings/worker.ts";
import { createApp } from "../_shared/http/app.ts";

Deno.serve(createApp({ "/embed": embed }).fetch);
