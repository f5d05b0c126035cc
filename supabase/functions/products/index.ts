import { createApp } from "../_shared/http/app.ts";
import { products } from "./routes.ts";

Deno.serve(createApp({ "/products": products }).fetch);
