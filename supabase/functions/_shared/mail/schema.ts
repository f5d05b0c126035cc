import { z } from "@hono/zod-openapi";
import { listQuery } from "../http/page.ts";
import { Enums } from "../values/enums.generated.ts";
import { language } from "../values/languages.ts";
import { visible } from "../values/names.ts";

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
    .openapi({ description: "The plain text, in Liquid. It is made from the HTML if left out." }),
};

const audience = z.enum(Enums.mail_audience).openapi("MailAudience");

const fields = {
  name: visible(200).openapi({ example: "Order confirmation" }),
  variables: z
    .array(z.string().min(1).max(100))
    .max(100)
    .optional()
    .openapi({ description: "Names of the variables in its texts, for editors." }),
  trigger_events: z.array(z.string().max(100)).max(20).optional().openapi({
    description:
      "The events on which it is sent. Leave it out for a built-in mail, whose events cannot be changed.",
    example: [],
  }),
  to: audience.nullable().optional().openapi({
    description:
      "Who gets it: the buyer of the order; the members of each supplier that the event is about, who see their part only; or the admins. null: the usual one of the event.",
  }),
};

const key = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,62}$/, "must be 1 to 63 of a-z, 0-9 and _, a letter first")
  .openapi({
    description: "The key of a built-in mail, which it replaces, or another key.",
    example: "order_placed",
  });

export const newEmailTemplate = z
  .object({
    key,
    ...fields,
    subject: texts.subject.optional(),
    html_content: texts.html_content.optional(),
    text_content: texts.text_content,
  })
  .openapi("NewEmailTemplate");

export const emailTemplateChanges = z
  .object({ ...fields, ...texts })
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
    to: audience.nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("EmailTemplate", {
    description: "A mail of the tenant. Its texts are Liquid, each one text or texts by language.",
  });

const variables = z
  .record(z.string(), z.unknown())
  .optional()
  .openapi({
    description: "Variables of the mail. Samples are used for those that are left out.",
    example: { customer: { name: "Ada" } },
  });

export const mailRendering = z
  .object({ variables, language: language.optional(), marketplace_id: z.guid().optional() })
  .openapi("EmailRendering");

export const renderedEmail = z
  .object({
    subject: z.string(),
    html: z.string(),
    text: z.string(),
    language: z.string(),
    rtl: z
      .boolean()
      .openapi({ description: "Whether the language is written from right to left." }),
  })
  .openapi("RenderedEmail");

export const emailTest = z.object({ variables }).openapi("EmailTest");

export const mailStatus = z.enum(Enums.mail_status).openapi("MailStatus");

export const mail = z
  .object({
    id: z.guid(),
    to: z.string(),
    name: z.string(),
    template: z.string().openapi({ description: "The key of the mail.", example: "order_placed" }),
    event_id: z.guid().nullable(),
    marketplace_id: z.guid().nullable(),
    is_test: z
      .boolean()
      .openapi({ description: "Whether an admin has sent it to itself as a test." }),
    subject: z.string().nullable().openapi({ description: "Null until it is rendered." }),
    status: mailStatus,
    attempts: z.number().int(),
    error: z.string().nullable().openapi({
      description:
        "The error of the last attempt, or why it was not sent; of a mail that was sent, why the built-in mail has replaced the tenant's.",
    }),
    next_attempt_at: z.string().nullable(),
    sent_at: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Mail", { description: "A mail to an address: waiting, sent or failed." });

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
      .openapi({ description: "The key of the mails that are suppressed; null for all mails." }),
    reason: z.enum(Enums.suppression_reason),
    created_at: z.string(),
  })
  .openapi("MailSuppression", {
    description: "An address that gets no mails of the tenant, or none of one kind.",
  });

export const unsubscribeParam = z.object({ token: z.string().max(800) });
