import { createApp } from "../_shared/http/app.ts";
import { pageRenderer } from "../_shared/templates/render_worker.ts";

Deno.serve(createApp({ "/render": pageRenderer }).fetch);
