import i18next from "i18next";

const ARABIC_DIGITS = "٠١٢٣٤٥٦٧٨٩";
const PERSIAN_DIGITS = "۰۱۲۳۴۵۶۷۸۹";

/** The separators of thousands and decimals in the page's language. */
const separators = () =>
  i18next.language === "de" ? { thousands: ".", decimal: "," } : { thousands: ",", decimal: "." };

/**
 * Parses a typed number in Latin or Arabic digits: `1,234.50`, in German `1.234,50`. A comma or a point that separates
 * no thousands is a decimal separator. Returns undefined for an empty or invalid text.
 */
export function numberFrom(text: string): number | undefined {
  const { thousands, decimal } = separators();
  const typed = text
    .trim()
    .replace(/[٠-٩]/g, (digit) => String(ARABIC_DIGITS.indexOf(digit)))
    .replace(/[۰-۹]/g, (digit) => String(PERSIAN_DIGITS.indexOf(digit)))
    .replace(/٬/g, thousands)
    .replace(/٫/g, decimal);
  const grouped = new RegExp(`^-?\\d{1,3}(\\${thousands}\\d{3})+(\\${decimal}\\d+)?$`);
  const plain = (grouped.test(typed) ? typed.replaceAll(thousands, "") : typed).replace(",", ".");
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : undefined;
}

/** Formats a number as it is typed in the page's language. `numberFrom` reads it. */
export const typedNumber = (value: number): string =>
  String(value).replace(".", separators().decimal);
