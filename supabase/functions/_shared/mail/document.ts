/** What a letter's document says of itself. */
export interface Document {
  language: string;
  rtl: boolean;
  subject: string;
  /** What stands in its body: checked HTML. */
  body: string;
  /** Styles that no attribute can say: checked CSS. */
  styles: string;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escaped = (text: string) => text.replace(/[&<>"]/g, (one) => ENTITIES[one] as string);

/**
 * A letter as a document. Some mail programs leave out `html` and `body`, so that language and direction are said again
 * within; `role` and `aria-label` make the letter one thing for who listens to it.
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
