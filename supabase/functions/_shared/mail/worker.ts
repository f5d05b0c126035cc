import { databaseAsService } from "../http/authenticate.ts";
import { environment } from "../http/environment.ts";
import { createWorker } from "../http/worker.ts";
import { openStorage } from "../media/storage.ts";
import { createDispatcher, type Means, type Taken } from "./dispatch.ts";
import { type LetterWish, makeLetter } from "./letter.ts";
import { samplesOf } from "./samples.ts";
import { type Message, openTransport, type Transport } from "./transport.ts";

const DATABASE_TIMEOUT_MS = 20_000;
/** As long as an export's file is to be had by its letter. */
const SIGNED_FOR_SECONDS = 24 * 3600;

/** A mail as the database tells it. */
interface StoredMail extends Taken {
  template: string;
  is_test: boolean;
  languages: string[];
  own: LetterWish["own"];
  tenant: LetterWish["tenant"];
  time_zone: string;
  marketplace: LetterWish["marketplace"];
  variables: Record<string, unknown>;
  /** Of an export: where its files lie in Storage. */
  files: string[] | null;
  /** Null for what everybody gets. */
  unsubscribe_token: string | null;
}

const ask = async (name: string, args: object) => {
  const db = databaseAsService(AbortSignal.timeout(DATABASE_TIMEOUT_MS));
  const { data } = await db.rpc(name, args).throwOnError();
  return data;
};

/** By what mails go, and from which address. */
interface Sender {
  transport: Transport;
  from: string;
}

/** The one of this process: its connection serves all mails. */
let sender: Sender | undefined;

/** Throws an Error that says what to set, where mails cannot be sent. */
function openSender(): Sender {
  const { mailUrl, mailFrom, isHosted } = environment;
  if (!mailUrl || !mailFrom) throw new Error("set MAIL_URL and MAIL_FROM to have mails sent");
  return { transport: openTransport(mailUrl, { isHosted }), from: mailFrom };
}

const means: Means<StoredMail> = {
  take: (batch) => ask("take_mails", { batch }),
  keep: (letters) => ask("keep_letters", { letters }),
  record: (outcome) => ask("record_mail", outcome),
  complain: (error) => console.error(JSON.stringify({ mail_dispatch: String(error) })),
  async render(mail) {
    return makeLetter({
      key: mail.template,
      own: mail.own,
      languages: mail.languages,
      timeZone: mail.time_zone,
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
      subject,
      html,
      text,
      headers: unsubscribe
        ? {
            "List-Unsubscribe": `<${unsubscribe}>`,
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          }
        : {},
    };
    return sender.transport.send(message, before);
  },
};

const dispatcher = createDispatcher(means);

/** Where pg_net and cron call when a mail waits. Where none can be sent, they wait: for a day. */
export const mailDispatch = createWorker(async () => {
  try {
    sender ??= openSender();
  } catch (error) {
    return means.complain(error);
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

/** What a letter tells, with the addresses that only a function knows. */
function withAddresses(variables: Record<string, unknown>, file: string | null) {
  const { export: exported, invitation } = variables as Record<string, object | undefined>;
  return {
    ...variables,
    ...(exported && { export: { ...exported, url: file } }),
    ...(invitation && { invitation: { ...invitation, url: invitationUrl(invitation) } }),
  };
}

/** Where somebody accepts an invitation; null in a project that has no site of its own. */
function invitationUrl({ token }: { token?: string }): string | null {
  return environment.siteUrl && token
    ? `${environment.siteUrl}/invitation?token=${encodeURIComponent(token)}`
    : null;
}
