import { createApp } from "../_shared/http/app.ts";
import { mailDispatch } from "../_shared/mail/worker.ts";

Deno.serve(createApp({ "/mail-dispatch": mailDispatch }).fetch);
