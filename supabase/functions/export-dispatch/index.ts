import { exportDispatch } from "../_shared/exports/worker.ts";
import { createApp } from "../_shared/http/app.ts";

Deno.serve(createApp({ "/export-dispatch": exportDispatch }).fetch);
