import { mailDispatch } from "../../supabase/functions/_shared/mail/worker.js";

// A dispatcher in a separate process, for tests that kill it.

const apikey = process.env.SUPABASE_SERVICE_ROLE_KEY as string;
await mailDispatch.request("/", { method: "POST", headers: { apikey } });
