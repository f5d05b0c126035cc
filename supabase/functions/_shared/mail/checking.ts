import { refusalOf } from "../liquid/refusing.ts";
import { inNfc } from "../values/nfc.ts";
import { checkLetter, type LetterTexts } from "./letter.ts";

/** Checks texts before they are saved. Errors: TEMPLATE_ERROR, TEMPLATE_LIMIT. */
export function checkTexts({
  subject = "",
  html_content = "",
  text_content,
}: Partial<LetterTexts>) {
  try {
    checkLetter(inNfc({ subject, html_content, text_content }));
  } catch (error) {
    throw refusalOf(error);
  }
}
