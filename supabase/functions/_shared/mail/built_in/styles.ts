/**
 * The styles of the built-in mails: one column of at most 600 pixels. The colors stay readable when a mail program
 * inverts them for dark mode.
 */
export function stylesFor(isRtl: boolean): string {
  // Outlook renders with Word, which does not support `start` and `end`.
  const [start, end] = isRtl ? ["right", "left"] : ["left", "right"];
  return `
.preheader { display: none; max-height: 0; overflow: hidden; opacity: 0; mso-hide: all; font-size: 1px; line-height: 1px }
.page { width: 100%; background-color: #f4f4f5; border-collapse: collapse }
.around { padding: 24px 12px; text-align: center }
.card { width: 600px; max-width: 100%; margin: 0 auto; background-color: #ffffff; border-collapse: collapse }
.head { padding: 20px 32px; font-family: Arial, Helvetica, sans-serif; font-size: 20px; font-weight: bold; line-height: 28px; text-align: ${start} }
.mark { text-decoration: none }
.logo { height: 40px; max-width: 240px }
.main { padding: 32px; color: #27272a; font-family: Arial, Helvetica, sans-serif; font-size: 16px; line-height: 24px; text-align: ${start} }
h1 { margin: 0 0 16px; color: #18181b; font-size: 24px; line-height: 32px }
p { margin: 0 0 16px }
.items, .facts { width: 100%; margin: 8px 0 24px; border-collapse: collapse }
.label, .first, .value, .sum { padding: 8px 0; border-bottom: 1px solid #d4d4d8; font-weight: normal; text-align: ${start}; vertical-align: top }
.label { color: #52525b }
.value { padding-${start}: 16px }
.number { padding-${start}: 16px; text-align: ${end}; white-space: nowrap }
.sum { color: #18181b; font-weight: bold }
.action { width: auto; margin: 8px 0 24px; border-collapse: separate }
.press { padding: 12px 24px; border-radius: 6px; text-align: center }
.button { display: inline-block; font-weight: bold; text-decoration: none }
.foot { padding: 24px 32px; color: #52525b; font-family: Arial, Helvetica, sans-serif; font-size: 13px; line-height: 20px; text-align: ${start}; border-top: 1px solid #d4d4d8 }
.quiet { color: #52525b; text-decoration: underline }
@media (max-width: 620px) {
  .around { padding: 0 }
  .card { width: 100% }
  .head, .main, .foot { padding-left: 20px; padding-right: 20px }
}
@media (prefers-color-scheme: dark) {
  .page { background-color: #18181b }
  .card { background-color: #27272a }
  .main, .sum, h1 { color: #fafafa }
  .label, .foot, .quiet { color: #d4d4d8 }
  .label, .first, .value, .sum, .foot { border-color: #52525b }
}
`.trim();
}
