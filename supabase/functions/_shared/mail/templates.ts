import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { wrongFields } from "../http/errors.ts";
import { listQuery, pageOf, readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { checkTexts } from "./checking.ts";
import { passOn, previewAnswer } from "./previewing.ts";
import { builtInTexts } from "./samples.ts";
import {
  emailTemplate,
  emailTemplateChanges,
  emailTest,
  mail,
  mailRendering,
  newEmailTemplate,
  renderedEmail,
} from "./schema.ts";

/** Routes below /email-templates: the mails of the tenant. */
export const emailTemplates = createRoutes();

const shared = { tags: ["Mail"], middleware: authenticate };

const emailTemplatesPage = pageOf("email_templates", emailTemplate);

emailTemplates.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "emailTemplates.list",
    permission: "email_templates.read",
    summary: "List e-mail templates",
    request: { query: listQuery(["created_at", "updated_at", "key", "name"]) },
    responses: answers(200, emailTemplatesPage, "The e-mail templates, newest first"),
  }),
  async (c) => {
    const all = c.get("db").from("email_templates").select("*", { count: "exact" });
    return c.json(await readPage(emailTemplatesPage, all, c.req.valid("query")), 200);
  },
);

emailTemplates.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "emailTemplates.create",
    permission: "email_templates.write",
    once: true,
    summary: "Create an e-mail template",
    description:
      "A template with the key of a built-in mail replaces it, and starts with a copy of the texts that are left out. Any other is sent on its trigger_events.",
    errors: {
      CONFLICT: "if the key is taken",
      TEMPLATE_ERROR: true,
      TEMPLATE_LIMIT: true,
      LIMIT_REACHED: true,
    },
    request: { body: body(newEmailTemplate) },
    responses: answers(201, emailTemplate, "The new e-mail template"),
  }),
  async (c) => {
    const input = { ...builtInTexts(c.req.valid("json").key), ...c.req.valid("json") };
    const { subject, html_content } = input;
    const missing = (["subject", "html_content"] as const).filter(
      (name) => input[name] === undefined,
    );
    if (missing.length > 0) {
      const message = "is required, because no built-in mail has this key";
      throw wrongFields(missing.map((field) => ({ field, message })));
    }
    checkTexts(input);
    const made = await perform(c, "create_email_template", { ...input, subject, html_content });
    return c.json(emailTemplate.parse(made), 201, {
      Location: `/functions/v1/api/email-templates/${made.id}`,
    });
  },
);

emailTemplates.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "emailTemplates.get",
    permission: "email_templates.read",
    summary: "Get an e-mail template",
    request: { params: idParam },
    responses: answers(200, emailTemplate, "The e-mail template"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const found = c.get("db").from("email_templates").select().eq("id", id);
    const { data } = await found.single().throwOnError();
    return c.json(emailTemplate.parse(data), 200);
  },
);

emailTemplates.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/{id}",
    operationId: "emailTemplates.update",
    permission: "email_templates.write",
    summary: "Change an e-mail template",
    description: "Fields that are left out do not change. The key cannot change.",
    errors: { TEMPLATE_ERROR: true, TEMPLATE_LIMIT: true },
    request: { params: idParam, body: body(emailTemplateChanges) },
    responses: answers(200, emailTemplate, "The changed e-mail template"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const changes = c.req.valid("json");
    checkTexts(changes);
    const changed = c.get("db").from("email_templates").update(changes).eq("id", id);
    const { data } = await changed.select().single().throwOnError();
    return c.json(emailTemplate.parse(data), 200);
  },
);

emailTemplates.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "emailTemplates.remove",
    permission: "email_templates.write",
    summary: "Delete an e-mail template",
    description: "A built-in mail of its key is sent again.",
    request: { params: idParam },
    responses: noContent("The e-mail template is deleted"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const removed = c.get("db").from("email_templates").delete().eq("id", id);
    await removed.select("id").single().throwOnError();
    return c.body(null, 204);
  },
);

emailTemplates.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/render",
    operationId: "emailTemplates.render",
    permission: "email_templates.read",
    summary: "Render a mail",
    description: "The mail as it would be sent, with samples for variables that are left out.",
    errors: { TEMPLATE_ERROR: true, TEMPLATE_LIMIT: true },
    request: { params: idParam, body: body(mailRendering) },
    responses: answers(200, renderedEmail, "The mail"),
  }),
  async (c) => {
    const { marketplace_id, ...options } = c.req.valid("json");
    const args = { template_id: c.req.valid("param").id, marketplace_id };
    const { data } = await c.get("db").rpc("email_template_preview", args).throwOnError();
    return passOn(c, await previewAnswer(c, data, options));
  },
);

emailTemplates.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/test",
    operationId: "emailTemplates.test",
    permission: "email_templates.write",
    once: true,
    summary: "Send a mail to the caller",
    description:
      "Sends the mail with samples for variables that are left out, unless it cannot be rendered. The status of the mail shows whether it was sent.",
    errors: { TEMPLATE_ERROR: true, TEMPLATE_LIMIT: true },
    request: { params: idParam, body: body(emailTest) },
    responses: answers(202, mail, "The mail, which is queued"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { variables } = c.req.valid("json");
    const args = { template_id: id, is_test: true };
    const { data } = await c.get("db").rpc("email_template_preview", args).throwOnError();
    // Without this, the built-in mail would be sent in place of one that cannot be rendered.
    const rendered = await previewAnswer(c, data, { variables });
    if (!rendered.ok) return passOn(c, rendered);
    await rendered.body?.cancel();
    const made = await perform(c, "test_email_template", {
      template_id: id,
      variables: variables ?? {},
    });
    return c.json(mail.parse(made), 202, { Location: `/functions/v1/api/mails/${made.id}` });
  },
);
