import { createApp } from "../_shared/http/app.ts";
import { orders } from "./routes.ts";

Deno.serve(createApp({ "/orders": orders }).fetch);
