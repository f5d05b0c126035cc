import { refusalOf } from "../liquid/refusing.ts";
import { inNfc } from "../values/nfc.ts";
import { checkMailTexts, type MailTexts } from "./render_mail.ts";

/** Checks texts before they are saved. Errors: TEMPLATE_ERROR, TEMPLATE_LIMIT. */
export function checkTexts({ subject = "", html_content = "", text_content }: Partial<MailTexts>) {
  try {
    checkMailTexts(inNfc({ subject, html_content, text_content }));
  } catch (error) {
    throw refusalOf(error);
  }
}
