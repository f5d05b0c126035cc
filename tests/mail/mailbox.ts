import { expect, vi } from "vitest";
import { must, type Person, stackInUse } from "../souk.js";

// What was written to whom, as an admin reads it in the log and the receiver in the mailbox.

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
export type Mail = any;
// biome-ignore lint/suspicious/noExplicitAny: a message as Mailpit answers it.
export type Message = any;

/** The mails of a tenant that meet a query, the newest first. */
export async function mailsOf(operator: Person, query: string): Promise<Mail[]> {
  return (await must("GET", `/api/mails?${query}`, { as: operator })).mails;
}

/** The one mail that meets a query, once something has come of it. */
export function sentMail(operator: Person, query: string): Promise<Mail> {
  return vi.waitFor(
    async () => {
      const found = await mailsOf(operator, query);
      expect(found).toHaveLength(1);
      const [mail] = found;
      expect(["success", "failed", "suppressed"]).toContain(mail.status);
      return mail;
    },
    { timeout: 30_000, interval: 100 },
  );
}

/** Where the mailbox is asked for all that was sent. */
export const mailbox = (path: string): string => `${stackInUse().mailpit_url}${path}`;

/** The messages that an address has got, the newest first. */
export async function messagesTo(address: string): Promise<Message[]> {
  const query = encodeURIComponent(`to:${address}`);
  const answer = await fetch(mailbox(`/api/v1/search?query=${query}&limit=500`));
  return ((await answer.json()) as Message).messages;
}

/** A mail that was sent, as it has arrived. */
export async function arrived({ id, to }: Mail): Promise<Message> {
  for (const { ID, MessageID } of await messagesTo(to)) {
    if (MessageID.startsWith(id)) {
      return (await fetch(mailbox(`/api/v1/message/${ID}`))).json();
    }
  }
  throw new Error(`${to} has not got the mail ${id}`);
}

/** The mail of a letter that an address got, as it has arrived. */
export async function letterTo(operator: Person, to: string, template: string): Promise<Message> {
  const mail = await sentMail(operator, `to=${encodeURIComponent(to)}&template=${template}`);
  expect(mail).toMatchObject({ status: "success", error: null });
  return arrived(mail);
}
