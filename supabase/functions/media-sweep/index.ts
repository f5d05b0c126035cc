import { createApp } from "../_shared/http/app.ts";
import { mediaSweep } from "../_shared/media/sweeping.ts";

Deno.serve(createApp({ "/media-sweep": mediaSweep }).fetch);
