import { auth } from "../_shared/auth/routes.ts";
import { createApp } from "../_shared/http/app.ts";

Deno.serve(createApp({ "/auth": auth }).fetch);
