import type { ReceivedMail } from "./mail.js";

/** A search that cannot be answered as Mailpit would. */
export class SearchRefused extends Error {}

const ELSEWHERE = /^(cc|bcc|reply-to|message-id|tag|is|has|before|after|larger|smaller)$/;

/** Words, or quoted phrases, each with a place to look in front of it or none; `-` and `!` exclude. */
const TERM = /([-!])?(?:([a-z-]+):)?("[^"]*"|\S+)/gi;

/** The mails that meet every term of a query in Mailpit's syntax, whatever their case. */
export function findMails(
  mails: readonly ReceivedMail[],
  query: string,
  sender: string,
): ReceivedMail[] {
  const terms = [...query.matchAll(TERM)].map(([, excluded, place = "", quoted = ""]) => {
    const word = quoted.replaceAll('"', "").toLowerCase();
    const meets = condition(place.toLowerCase(), word, sender);
    return (mail: ReceivedMail) => meets(mail) !== (excluded !== undefined);
  });
  return mails.filter((mail) => terms.every((meets) => meets(mail)));
}

function condition(place: string, word: string, sender: string): (mail: ReceivedMail) => boolean {
  const has = (...texts: string[]) => texts.some((text) => text.toLowerCase().includes(word));
  switch (`${place}:${place === "is" ? word : ""}`) {
    case ":":
      return ({ to, subject, text, code }) => has(to, sender, subject, text, code);
    case "to:":
      return ({ to }) => has(to);
    case "from:":
      return () => has(sender);
    case "addressed:":
      return ({ to }) => has(to, sender);
    case "subject:":
      return ({ subject }) => has(subject);
    case "is:read":
      return ({ read }) => read;
    case "is:unread":
      return ({ read }) => !read;
    default:
      if (!ELSEWHERE.test(place)) return condition("", `${place}:${word}`, sender);
      throw new SearchRefused(`searching by "${place}:" is not in the local stack`);
  }
}
