import { api } from "../_shared/api.ts";

Deno.serve(api.fetch);
