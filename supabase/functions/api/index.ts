import { api } from "./app.ts";

Deno.serve(api.fetch);
