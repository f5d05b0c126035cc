import { createApp } from "../_shared/http/app.ts";
import { orders } from "../_shared/orders.ts";

Deno.serve(createApp({ "/orders": orders }).fetch);
