import { createApp } from "../_shared/http/app.ts";
import { products } from "../_shared/products.ts";

Deno.serve(createApp({ "/products": products }).fetch);
