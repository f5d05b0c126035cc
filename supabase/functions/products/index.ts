import { products } from "../_shared/catalog/routes.ts";
import { createApp } from "../_shared/http/app.ts";

Deno.serve(createApp({ "/products": products }).fetch);
