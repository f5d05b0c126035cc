import { expect } from "vitest";
import { eventually } from "../eventually.js";
import { must, type Person, stackInUse, supabaseAsService } from "../souk.js";

// Mails in the admin's log, and as they arrive in the stack's mailbox.

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
export type Mail = any;
// biome-ignore lint/suspicious/noExplicitAny: a message as Mailpit answers it.
export type Message = any;

/** Lets a tenant send mails of its own, as the owner of the project does. */
export async function approveMail({ tenantId: tenant_id }: { tenantId: string }): Promise<void> {
  await supabaseAsService()
    .rpc("set_mail_status", { tenant_id, status: "approved" })
    .throwOnError();
}

/** The mails of a tenant that match a query, newest first. */
export async function mailsOf(operator: Person, query: string): Promise<Mail[]> {
  return (await must("GET", `/api/mails?${query}`, { as: operator })).mails;
}

/** The only mail that matches a query, after it was sent, failed or was suppressed. */
export function sentMail(operator: Person, query: string): Promise<Mail> {
  return eventually(async () => {
    const found = await mailsOf(operator, query);
    expect(found).toHaveLength(1);
    const [mail] = found;
    expect(["success", "failed", "suppressed"]).toContain(mail.status);
    return mail;
  });
}

/** A URL of the mailbox. */
export const mailbox = (path: string): string => `${stackInUse().mailpit_url}${path}`;

/** The messages to an address, newest first. */
export async function messagesTo(address: string): Promise<Message[]> {
  const query = encodeURIComponent(`to:${address}`);
  const answer = await fetch(mailbox(`/api/v1/search?query=${query}&limit=500`));
  return ((await answer.json()) as Message).messages;
}

/** A sent mail as it arrived. */
export async function arrived({ id, to }: Mail): Promise<Message> {
  for (const { ID, MessageID } of await messagesTo(to)) {
    if (MessageID.startsWith(id)) {
      return (await fetch(mailbox(`/api/v1/message/${ID}`))).json();
    }
  }
  throw new Error(`the mail ${id} to ${to} has not arrived`);
}

/** The only mail of a template to an address, as it arrived. */
export async function mailTo(operator: Person, to: string, template: string): Promise<Message> {
  const mail = await sentMail(operator, `to=${encodeURIComponent(to)}&template=${template}`);
  expect(mail).toMatchObject({ status: "success", error: null });
  return arrived(mail);
}
