import { refusalOf } from "../templates/refusing.ts";
import { checkLetter, type LetterTexts } from "./letter.ts";

/** Looks into texts that are saved: whether each can be rendered, and safely. Errors: TEMPLATE_ERROR, TEMPLATE_LIMIT. */
export function checkTexts({
  subject = "",
  html_content = "",
  text_content,
}: Partial<LetterTexts>) {
  try {
    checkLetter({ subject, html_content, text_content });
  } catch (error) {
    throw refusalOf(error);
  }
}
