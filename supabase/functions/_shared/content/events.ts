import { z } from "@hono/zod-openapi";
import { defineEvent } from "../events/event_type.ts";
import * as sample from "../events/sample.ts";
import { contentStatus } from "./schema.ts";

const carried = {
  content: z.object({
    id: z.guid(),
    tenant_id: z.guid(),
    marketplace_id: z.guid(),
    type: z.string(),
    slug: z.string(),
    subject_id: z.guid().nullable().openapi({
      description: "The product or category that it describes.",
    }),
    title: z.record(z.string(), z.string()).openapi({ description: "By language." }),
    status: contentStatus,
    author_id: z.guid().nullable(),
    version_number: z.number().int(),
    published_version_number: z.number().int().nullable().openapi({
      description: "The version that readers see; null if it is not published.",
    }),
    created_at: z.string(),
    updated_at: z.string(),
  }),
};

function page(status: string, published_version_number: number | null = null) {
  return {
    content: {
      id: sample.id("5"),
      tenant_id: sample.tenant_id,
      marketplace_id: sample.marketplace_id,
      type: "static_pages",
      slug: "about-us",
      subject_id: null,
      title: { en: "About us" },
      status,
      author_id: sample.operator_id,
      version_number: 1,
      published_version_number,
      created_at: sample.PLACED,
      updated_at: sample.PLACED,
    },
  };
}

/** The events of content. */
export const contentEvents = {
  ...defineEvent("content.created", {
    description: "Content was created.",
    carried: carried,
    sample: page("draft"),
  }),
  ...defineEvent("content.status_changed", {
    description: "Content moved from one status to another, also by a save.",
    carried: carried,
    sample: page("in_review"),
    beside: {
      shape: { content_id: z.guid(), old_status: contentStatus, new_status: contentStatus },
      sample: { content_id: sample.id("5"), old_status: "draft", new_status: "in_review" },
    },
  }),
  ...defineEvent("content.published", {
    description: "The published content changed, in at least one language.",
    carried: carried,
    sample: page("published", 1),
  }),
  ...defineEvent("content.deleted", {
    description: "Content was deleted, or archived by DELETE.",
    carried: carried,
    sample: page("draft"),
  }),
};
