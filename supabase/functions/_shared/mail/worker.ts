import { databaseAsService } from "../http/authenticate.ts";
import type { Arguments, FunctionName } from "../http/env.ts";
import { environment } from "../http/environment.ts";
import { createWorker } from "../http/worker.ts";
import { readOffsets } from "../liquid/zones.ts";
import { openStorage } from "../media/storage.ts";
import { createDispatcher, type DispatcherOptions, type LeasedMail } from "./dispatch.ts";
import { type MailInput, renderMail } from "./render_mail.ts";
import { samplesOf } from "./samples.ts";
import { type Message, openTransport, type Transport } from "./transport.ts";

const DATABASE_TIMEOUT_MS = 20_000;
/** Lifetime of the signed address of an export's file, in seconds. */
const SIGNED_FOR_SECONDS = 24 * 3600;

/** A mail as lease_mails returns it. */
interface StoredMail extends LeasedMail {
  template: string;
  is_test: boolean;
  languages: string[];
  own: MailInput["own"];
  tenant: MailInput["tenant"];
  time_zone: string;
  marketplace: MailInput["marketplace"];
  variables: Record<string, unknown>;
  /** The paths in Storage of an export; null for other mails. */
  files: string[] | null;
  /** Null if the mail is not optional. */
  unsubscribe_token: string | null;
}

const call = async <Name extends FunctionName>(name: Name, args: Arguments<Name>) => {
  const db = databaseAsService(AbortSignal.timeout(DATABASE_TIMEOUT_MS));
  const { data } = await db.rpc(name, args).throwOnError();
  return data;
};

/** The transport, and the address that mails come from. */
interface Sender {
  transport: Transport;
  from: string;
}

/** One for each process, so that all mails share its connection. */
let sender: Sender | undefined;

/** Throws an Error that names the missing settings if mails cannot be sent. */
function openSender(): Sender {
  const { mailUrl, mailFrom, isHosted } = environment;
  if (!mailUrl || !mailFrom) throw new Error("set MAIL_URL and MAIL_FROM to send mails");
  return { transport: openTransport(mailUrl, { isHosted }), from: mailFrom };
}

const options: DispatcherOptions<StoredMail> = {
  lease: (batch) => call("lease_mails", { batch }),
  store: (contents) => call("store_mail_contents", { contents }),
  record: (outcome) => call("record_mail", outcome),
  reportError: (error) => console.error(JSON.stringify({ mail_dispatch: String(error) })),
  async render(mail) {
    return renderMail({
      key: mail.template,
      own: mail.own,
      languages: mail.languages,
      timeZone: mail.time_zone,
      offsets: await readOffsets(mail.time_zone),
      marketplace: mail.marketplace,
      tenant: mail.tenant,
      variables: {
        ...(mail.is_test && samplesOf(mail.template)),
        ...withAddresses(mail.variables, await signed(mail.files)),
      },
      unsubscribeUrl: unsubscribeUrl(mail),
    });
  },
  async send(mail, { subject, html, text }, before) {
    sender ??= openSender();
    const unsubscribe = unsubscribeUrl(mail);
    const message: Message = {
      id: mail.id,
      from: { name: mail.marketplace?.name ?? mail.tenant.name, address: sender.from },
      to: { name: mail.name, address: mail.to },
      replyTo: mail.marketplace?.reply_to ?? undefined,
      subject,
      html,
      text,
      headers: {
        // Away notices are not sent in answer to it (RFC 3834).
        "Auto-Submitted": "auto-generated",
        ...(unsubscribe && {
          "List-Unsubscribe": `<${unsubscribe}>`,
          "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        }),
      },
    };
    return sender.transport.send(message, before);
  },
};

const dispatcher = createDispatcher(options);

/** The entry point that pg_net and a job call while mails wait. Without a transport they wait for a day. */
export const mailDispatch = createWorker(async () => {
  try {
    sender ??= openSender();
  } catch (error) {
    return options.reportError(error);
  }
  await dispatcher.wake();
});

const unsubscribeUrl = ({ unsubscribe_token: token }: StoredMail) =>
  token && `${environment.publicUrl}/functions/v1/api/mails/unsubscribe/${token}`;

async function signed(files: string[] | null): Promise<string | null> {
  if (!files?.length) return null;
  const storage = openStorage(AbortSignal.timeout(DATABASE_TIMEOUT_MS));
  const [address] = await storage.sign("exports", files, SIGNED_FOR_SECONDS);
  return address ?? null;
}

/** The variables of a mail with the addresses of an export's file and an invitation's page. */
function withAddresses(variables: Record<string, unknown>, file: string | null) {
  const { export: exported, invitation } = variables as Record<string, object | undefined>;
  return {
    ...variables,
    ...(exported && { export: { ...exported, url: file } }),
    ...(invitation && { invitation: { ...invitation, url: invitationUrl(invitation) } }),
  };
}

/** The page that accepts an invitation; null without SITE_URL. */
function invitationUrl({ token }: { token?: string }): string | null {
  return environment.siteUrl && token
    ? `${environment.siteUrl}/invitation?token=${encodeURIComponent(token)}`
    : null;
}
