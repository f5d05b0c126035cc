import { createApp } from "../_shared/http/app.ts";
import { payments } from "./routes.ts";

Deno.serve(createApp({ "/payments": payments }).fetch);
