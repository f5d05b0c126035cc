import { createApp } from "../_shared/http/app.ts";
import { marketplaces } from "../_shared/marketplaces/routes.ts";

Deno.serve(createApp({ "/marketplaces": marketplaces }).fetch);
