/** The parts of a mail's document. */
export interface Document {
  language: string;
  rtl: boolean;
  subject: string;
  /** Checked HTML. */
  body: string;
  /** Checked CSS that cannot be inlined. */
  styles: string;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escaped = (text: string) => text.replace(/[&<>"]/g, (one) => ENTITIES[one] as string);

/**
 * The HTML document of a mail. Some mail programs drop `html` and `body`, so that the language and direction are
 * repeated on an element inside; `role` and `aria-label` name the mail for screen readers.
 */
export function documentOf({ language, rtl, subject, body, styles }: Document): string {
  const written = `lang="${escaped(language)}" dir="${rtl ? "rtl" : "ltr"}"`;
  const title = escaped(subject);
  const style = styles === "" ? "" : `\n<style>${styles}</style>`;
  return `<!DOCTYPE html>
<html ${written}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${title}</title>${style}
</head>
<body style="margin:0;padding:0">
<div ${written} role="article" aria-roledescription="email" aria-label="${title}">
${body.trim()}
</div></body></html>`;
}
