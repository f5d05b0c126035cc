/** The attribute of styles that the server has sent with the page. */
export const SENT_STYLES = "data-sent-styles";

/** Adds styles to the page, and returns what removes them. The policy of the page refuses `style` elements. */
export function styleSheet(css: string): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
  document.querySelector(`[${SENT_STYLES}]`)?.remove();
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}
