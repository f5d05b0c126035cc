import { parseUrl } from "../url.js";
import type { Message } from "./message.js";

/** The unsubscribe headers of a mail (RFC 2369, RFC 8058), as in Mailpit's API. */
export interface ListUnsubscribe {
  Header: string;
  /** At most one mail address and one HTTP link. */
  Links: string[];
  /** Errors in the header, as a message; empty without any. */
  Errors: string;
  HeaderPost: string;
}

/** Reads the headers `List-Unsubscribe` and `List-Unsubscribe-Post` like Mailpit. */
export function unsubscribeOf({ headers }: Pick<Message, "headers">): ListUnsubscribe {
  const value = (wanted: string) =>
    headers.find(({ name }) => name.toLowerCase() === wanted)?.value.trim() ?? "";
  const Header = value("list-unsubscribe");
  if (!Header) return { Header, Links: [], Errors: "", HeaderPost: "" };
  const { links, errors } = readLinks(Header);
  return {
    Header,
    Links: links,
    Errors: errors.join(", "),
    HeaderPost: value("list-unsubscribe-post"),
  };
}

function readLinks(header: string): { links: string[]; errors: string[] } {
  // Comments are allowed between the links.
  const plain = header.replace(/\([^()]*\)/g, "").trim();
  const links: string[] = [];
  const errors: string[] = [];
  const found = [...plain.matchAll(/<([^<>]*)>/g)].map(([, link = ""]) => link);
  if (found.length === 0) return { links, errors: [`"${plain}" no valid unsubscribe links found`] };
  const between = plain.split(/<[^<>]*>/);
  if (between.shift() || between.pop()) {
    return { links, errors: [`"${plain}" should be enclosed in <>`] };
  }
  if (found.length > 2) {
    const most = `"${plain}" should include a maximum of one email and one HTTP link`;
    return { links, errors: [most] };
  }
  if (between.some((join) => join.trim() !== ",")) {
    const split = `"${plain}" <> should be split with a comma and optional spaces`;
    return { links, errors: [split] };
  }
  const kinds = new Set<string>();
  for (const link of found) {
    const kind = kindOf(link);
    if (/\s/.test(link)) errors.push(`"${link}" should not contain spaces`);
    else if (!kind) errors.push(`"${link}" should start with either http(s):// or mailto:`);
    else if (kinds.has(kind)) errors.push(`"${link}" should only contain one ${kind}`);
    else links.push(link);
    if (kind) kinds.add(kind);
  }
  return { links, errors };
}

function kindOf(link: string): string | undefined {
  if (/^mailto:[a-z\d]/i.test(link)) return "mailto:";
  return /^https?:\/\/[a-z\d]/i.test(link) && parseUrl(link) ? "HTTP link" : undefined;
}
