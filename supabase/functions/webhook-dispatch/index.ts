import { createApp } from "../_shared/http/app.ts";
import { dispatch } from "../_shared/webhooks/worker.ts";

Deno.serve(createApp({ "/webhook-dispatch": dispatch }).fetch);
