import { messageOf, type Sender } from "./auth-message.js";
import type { ReceivedMail } from "./mailbox.js";
import type { Message, Person } from "./message.js";

/** A search that Mailpit supports and this mailbox does not. */
export class SearchRefused extends Error {}

/** Search fields of Mailpit that this mailbox does not support. */
const UNSUPPORTED = /^(tag|is|has|before|after|larger|smaller)$/;

/** A word or quoted phrase, optionally with a field before it; `-` and `!` exclude. */
const TERM = /([-!])?(?:([a-z-]+):)?("[^"]*"|\S+)/gi;

type Condition = (mail: ReceivedMail) => boolean | Promise<boolean>;

/** Finds the mails that meet every term of a query in Mailpit's syntax, ignoring case. */
export async function findMails(
  mails: readonly ReceivedMail[],
  query: string,
  sender: Sender,
): Promise<ReceivedMail[]> {
  const terms = [...query.matchAll(TERM)].map(([, excluded, field = "", quoted = ""]) => {
    const word = quoted.replaceAll('"', "").toLowerCase();
    const meets = condition(field.toLowerCase(), word, sender);
    return async (mail: ReceivedMail) => (await meets(mail)) !== (excluded !== undefined);
  });
  const found: ReceivedMail[] = [];
  for (const mail of mails) {
    if (await meetsAll(mail, terms)) found.push(mail);
  }
  return found;
}

/** Evaluates terms in sequence and stops at the first that is not met. */
async function meetsAll(mail: ReceivedMail, terms: readonly Condition[]): Promise<boolean> {
  for (const meets of terms) if (!(await meets(mail))) return false;
  return true;
}

const written = (persons: readonly Person[]) =>
  persons.map(({ name, address }) => `${name} <${address}>`);
const addressed = ({ from, to, cc, bcc, replyTo }: Message) =>
  written([from, ...to, ...cc, ...bcc, ...replyTo]);

function condition(field: string, word: string, sender: Sender): Condition {
  const within = (texts: readonly string[]) =>
    texts.some((text) => text.toLowerCase().includes(word));
  const among =
    (texts: (message: Message) => readonly string[]): Condition =>
    (mail) =>
      within(texts(messageOf(mail, sender)));
  switch (`${field}:${/^(is|has)$/.test(field) ? word : ""}`) {
    case ":":
      return async (mail) => {
        const message = messageOf(mail, sender);
        if (within([...addressed(message), message.subject])) return true;
        const { text, attachments } = await message.body();
        return within([text, ...attachments.map(({ name }) => name)]);
      };
    case "to:":
      return among(({ to }) => written(to));
    case "from:":
      return among(({ from }) => written([from]));
    case "cc:":
      return among(({ cc }) => written(cc));
    case "bcc:":
      return among(({ bcc }) => written(bcc));
    case "reply-to:":
      return among(({ replyTo }) => written(replyTo));
    case "addressed:":
      return among(addressed);
    case "subject:":
      return among(({ subject }) => [subject]);
    case "message-id:":
      return among(({ messageId }) => [messageId]);
    case "has:attachment":
    case "has:attachments":
      return async (mail) => {
        const { attachments } = await messageOf(mail, sender).body();
        return attachments.some(({ inline }) => !inline);
      };
    case "is:read":
      return ({ read }) => read;
    case "is:unread":
      return ({ read }) => !read;
    default:
      if (!UNSUPPORTED.test(field)) return condition("", `${field}:${word}`, sender);
      throw new SearchRefused(`the local stack does not support searching by "${field}:"`);
  }
}
