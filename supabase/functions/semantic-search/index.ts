import { createApp } from "../_shared/http/app.ts";
import { semanticSearch } from "../_shared/search/routes.ts";

Deno.serve(createApp({ "/semantic-search": semanticSearch }).fetch);
