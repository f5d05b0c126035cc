import { inRender } from "../_shared/content/hand_over.ts";
import { content } from "../_shared/content/routes.ts";
import { createApp } from "../_shared/http/app.ts";
import { mailRenderer } from "../_shared/mail/render_worker.ts";
import { pageRenderer } from "../_shared/templates/render_worker.ts";

Deno.serve(
  createApp({
    "/render": pageRenderer,
    "/render/mails": mailRenderer,
    "/render/content": inRender(content),
  }).fetch,
);
