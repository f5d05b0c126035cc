import { z } from "@hono/zod-openapi";
import { language } from "../http/language.ts";
import { listQuery } from "../http/page.ts";

const localized = (longest: number) =>
  z.union([z.string().min(1).max(longest), z.record(language, z.string().min(1).max(longest))]);

const texts = {
  subject: localized(1000).openapi({
    description: "Liquid: one text, or texts by language.",
    example: { en: "Your order {{ order.number }}", de: "Ihre Bestellung {{ order.number }}" },
  }),
  html_content: localized(100_000).openapi({
    description: "Liquid in HTML: one text, or texts by language.",
    example: { en: "<p>Thank you, {{ customer.name }}!</p>" },
  }),
  text_content: localized(100_000)
    .nullable()
    .optional()
    .openapi({ description: "The same as plain text; made of the HTML where it is left out." }),
};

const told = {
  name: z.string().min(1).max(200).openapi({ example: "Order confirmation" }),
  variables: z
    .array(z.string().min(1).max(100))
    .max(100)
    .optional()
    .openapi({ description: "The names of what its texts put in, for whoever edits them." }),
  trigger_events: z.array(z.string().max(100)).max(20).optional().openapi({
    description:
      "The events on which it is sent. Left out for a letter that is built in, whose occasion stands fast.",
    example: [],
  }),
};

const key = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,62}$/, "must be 1 to 63 of a-z, 0-9 and _, a letter first")
  .openapi({
    description: "Of a letter that is built in, whose place it takes; or one of its own.",
    example: "order_placed",
  });

export const newEmailTemplate = z
  .object({
    key,
    ...told,
    subject: texts.subject.optional(),
    html_content: texts.html_content.optional(),
    text_content: texts.text_content,
  })
  .openapi("NewEmailTemplate");

export const emailTemplateChanges = z
  .object({ ...told, ...texts })
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, "Send at least one field to change.")
  .openapi("EmailTemplateChanges");

export const emailTemplate = z
  .object({
    id: z.guid(),
    key: z.string(),
    name: z.string(),
    subject: z.union([z.string(), z.record(z.string(), z.string())]),
    html_content: z.union([z.string(), z.record(z.string(), z.string())]),
    text_content: z.union([z.string(), z.record(z.string(), z.string()), z.null()]),
    variables: z.array(z.string()),
    trigger_events: z.array(z.string()),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("EmailTemplate", {
    description: "A letter of the tenant's own: its texts are Liquid, each one or by language.",
  });

const variables = z
  .record(z.string(), z.unknown())
  .optional()
  .openapi({
    description: "What the letter tells, in the place of samples.",
    example: { customer: { name: "Ada" } },
  });

export const letterWish = z
  .object({ variables, language: language.optional(), marketplace_id: z.guid().optional() })
  .openapi("EmailRendering");

export const letter = z
  .object({
    subject: z.string(),
    html: z.string(),
    text: z.string(),
    language: z.string(),
    rtl: z.boolean().openapi({ description: "Written from right to left." }),
  })
  .openapi("RenderedEmail");

export const testWish = z.object({ variables }).openapi("EmailTest");

export const mailStatus = z
  .enum(["pending", "retrying", "success", "failed", "suppressed"])
  .openapi("MailStatus");

export const mail = z
  .object({
    id: z.guid(),
    to: z.string(),
    name: z.string(),
    template: z
      .string()
      .openapi({ description: "The key of the letter.", example: "order_placed" }),
    event_id: z.guid().nullable(),
    marketplace_id: z.guid().nullable(),
    is_test: z.boolean().openapi({ description: "Whether somebody had it sent to oneself." }),
    subject: z.string().nullable().openapi({ description: "Null until it is rendered." }),
    status: mailStatus,
    attempts: z.number().int(),
    error: z.string().nullable().openapi({
      description:
        "What went wrong at the last attempt; of one that was sent, why the built-in letter took the place of the tenant's own.",
    }),
    next_attempt_at: z.string().nullable(),
    sent_at: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Mail", { description: "A letter on its way to an address, or sent." });

export const mailQuery = listQuery(["created_at", "updated_at"]).extend({
  status: mailStatus.optional(),
  template: z.string().max(63).optional(),
  to: z.string().max(320).optional(),
  event_id: z.guid().optional(),
});

export const suppression = z
  .object({
    id: z.guid(),
    email: z.string(),
    template: z
      .string()
      .nullable()
      .openapi({ description: "The letters that it gets no more; null: none." }),
    reason: z.enum(["bounce", "complaint", "unsubscribed"]),
    created_at: z.string(),
  })
  .openapi("MailSuppression", {
    description: "An address that the tenant's letters do not go to.",
  });

export const unsubscribeParam = z.object({ token: z.string().max(800) });
