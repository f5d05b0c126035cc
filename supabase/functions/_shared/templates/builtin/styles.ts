/**
 * The styles of the built-in pages. They use the colours and fonts of the marketplace if it has any, and logical properties,
 * so that they fit both directions of writing.
 */
export const styles = `
:root {
  --ink: #14171f; --muted: #525a68; --line: #e3e6eb; --soft: #f5f6f8; --good: #166534; --bad: #9a3412;
  --accent: var(--souk-color-primary, #1f4fd8); --on-accent: var(--souk-on-primary, #ffffff); --round: 14px;
  color: var(--ink); background: #ffffff;
  font: 400 1rem/1.6 var(--souk-font-body, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Arabic", sans-serif);
  display: flex; flex-direction: column;
}
:root > .souk-main, :root > .souk-beside { flex: 1 0 auto; inline-size: 100%; padding-block-end: 4rem; }
h1, h2, h3 { font-family: var(--souk-font-heading, inherit); line-height: 1.2; margin: 0; text-wrap: balance; }
h1 { font-size: clamp(1.75rem, 1.3rem + 2vw, 2.75rem); letter-spacing: -0.02em; }
h2 { font-size: clamp(1.25rem, 1.1rem + 0.8vw, 1.75rem); letter-spacing: -0.01em; }
h3 { font-size: 1rem; font-weight: 600; }
p { margin: 0; }
ul, ol { list-style: none; margin: 0; padding: 0; }
a { color: inherit; text-underline-offset: 0.2em; }
:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; border-radius: 4px; }
input, select, textarea {
  font: inherit; color: inherit; background: #ffffff; inline-size: 100%; min-block-size: 2.75rem;
  padding: 0.5rem 0.875rem; border: 1px solid #7b8494; border-radius: 10px; text-overflow: ellipsis;
}
label { display: block; font-weight: 600; font-size: 0.9375rem; margin-block-end: 0.25rem; }
fieldset { border: 0; margin: 0; padding: 0; min-inline-size: 0; }
legend { font-size: 1.25rem; font-weight: 650; padding: 0; margin-block-end: 1rem; }
.shop-button, button {
  display: inline-flex; align-items: center; justify-content: center; gap: 0.5rem; min-block-size: 2.75rem;
  padding: 0.5rem 1.25rem; border: 0; border-radius: 999px; cursor: pointer; text-decoration: none;
  font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); transition: transform 0.15s ease, box-shadow 0.15s ease;
}
.shop-button:hover, button:hover { box-shadow: 0 6px 18px rgba(20, 23, 31, 0.18); transform: translateY(-1px); }
.shop-quiet { color: var(--ink); background: var(--soft); }
.shop-wide { inline-size: 100%; }
.shop-hidden { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.shop-skip { position: absolute; inset-inline-start: 1rem; inset-block-start: -4rem; padding: 0.5rem 1rem; background: #ffffff; color: var(--ink); border-radius: 8px; }
.shop-skip:focus { inset-block-start: 0.5rem; z-index: 1; }
.shop-muted { color: var(--muted); }
.shop-header { position: relative; border-block-end: 1px solid var(--line); background: #ffffff; }
.shop-bar, .shop-categories, .shop-footer-inner { max-inline-size: 80rem; margin-inline: auto; padding-inline: 1rem; }
.shop-bar { display: flex; flex-wrap: wrap; align-items: center; gap: 0.75rem 1.5rem; padding-block: 0.875rem; }
.shop-brand { display: inline-flex; align-items: center; gap: 0.625rem; font-size: 1.25rem; font-weight: 700; letter-spacing: -0.02em; text-decoration: none; min-block-size: 2.75rem; }
.shop-brand img { block-size: 2rem; inline-size: auto; }
.shop-search { order: 3; flex: 1 1 100%; display: flex; gap: 0.5rem; }
.shop-search input { border-radius: 999px; background: var(--soft); }
.shop-menu { margin-inline-start: auto; }
.shop-menu ul { display: flex; gap: 0.25rem; }
.shop-menu a, .shop-categories a { display: inline-flex; align-items: center; min-block-size: 2.75rem; padding-inline: 0.75rem; border-radius: 999px; text-decoration: none; font-weight: 500; }
.shop-menu a:hover, .shop-categories a:hover { background: var(--soft); }
.shop-categories ul { display: flex; gap: 0.25rem; overflow-x: auto; margin-inline: -0.75rem; padding-block-end: 0.5rem; }
.shop-within { padding-inline: 0; margin-block-end: 1rem; }
.shop-categories a { white-space: nowrap; color: var(--muted); }
.shop-hero { display: grid; gap: 2rem; align-items: center; margin-block-start: 1.5rem; padding: clamp(2rem, 6vw, 5rem) clamp(1.25rem, 5vw, 4rem); border-radius: calc(var(--round) * 1.6); background: linear-gradient(135deg, var(--soft), #e9edf5); background: linear-gradient(135deg, color-mix(in srgb, var(--accent) 6%, #ffffff), color-mix(in srgb, var(--accent) 18%, #ffffff)); overflow: hidden; }
.shop-hero p { font-size: 1.125rem; max-inline-size: 38rem; margin-block: 1rem 1.75rem; color: var(--muted); }
.shop-hero h1 { font-size: clamp(2.125rem, 1.4rem + 3.6vw, 3.75rem); }
.shop-hero img { inline-size: 100%; border-radius: var(--round); object-fit: cover; aspect-ratio: 4 / 3; }
.shop-part { margin-block-start: clamp(2.5rem, 6vw, 4.5rem); }
.shop-part > h2 { margin-block-end: 1.25rem; }
.shop-title { padding-block: 1.75rem 1.25rem; display: grid; gap: 0.5rem; }
.shop-crumbs ol { display: flex; flex-wrap: wrap; gap: 0.25rem 0.5rem; font-size: 0.9375rem; color: var(--muted); padding-block-start: 1.25rem; }
.shop-crumbs li + li::before { content: "/"; margin-inline-end: 0.5rem; }
.shop-grid { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1.25rem 1rem; }
.shop-card { position: relative; }
.shop-card a { display: grid; gap: 0.25rem; text-decoration: none; border-radius: var(--round); }
.shop-thumb { display: block; aspect-ratio: 1; border-radius: var(--round); overflow: hidden; background: var(--soft); margin-block-end: 0.5rem; }
.shop-letter { display: grid; place-items: center; block-size: 100%; font-size: 3rem; font-weight: 600; color: #6b7280; }
.shop-thumb img { inline-size: 100%; block-size: 100%; object-fit: cover; transition: transform 0.4s ease; }
.shop-card a:hover .shop-thumb img { transform: scale(1.04); }
.shop-card a:hover h3 { text-decoration: underline; }
.shop-price { font-weight: 600; font-variant-numeric: tabular-nums; }
.shop-label, .shop-state { display: inline-block; justify-self: start; padding: 0.125rem 0.625rem; border-radius: 999px; font-size: 0.8125rem; font-weight: 600; background: var(--soft); color: var(--ink); }
.shop-state-good { color: var(--good); background: #e8f6ed; }
.shop-state-bad { color: var(--bad); background: #fdf0e7; }
.shop-tiles { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0.75rem; }
.shop-tiles a { display: flex; align-items: end; min-block-size: 6rem; padding: 1rem; border-radius: var(--round); background: var(--soft); font-weight: 600; text-decoration: none; transition: background 0.2s ease; }
.shop-tiles a:hover { background: #e6e9ef; }
.shop-empty { display: grid; justify-items: center; gap: 0.75rem; text-align: center; padding: clamp(2.5rem, 8vw, 5rem) 1rem; border: 1px dashed #b5bcc8; border-radius: var(--round); color: var(--muted); }
.shop-empty h2 { color: var(--ink); }
.shop-product { display: grid; gap: 2rem; padding-block-start: 1rem; }
.shop-images { display: grid; gap: 0.75rem; }
.shop-images img { inline-size: 100%; border-radius: var(--round); background: var(--soft); object-fit: cover; }
.shop-more { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 0.75rem; }
.shop-about { display: grid; gap: 1rem; align-content: start; }
.shop-about .shop-price { font-size: 1.5rem; }
.shop-buy { display: grid; gap: 1rem; padding-block: 0.5rem; }
.shop-text { white-space: pre-line; max-inline-size: 46rem; }
.shop-rich { max-inline-size: 46rem; overflow-x: auto; }
.shop-rich > * + * { margin-block-start: 0.75rem; }
.shop-rich h1, .shop-rich h2 { font-size: 1.125rem; }
.shop-rich ul { list-style: disc; padding-inline-start: 1.5rem; }
.shop-rich ol { list-style: decimal; padding-inline-start: 1.5rem; }
.shop-rich th, .shop-rich td { text-align: start; vertical-align: top; padding-block: 0.375rem; padding-inline-end: 1rem; }
.shop-facts { inline-size: 100%; border-collapse: collapse; }
.shop-facts th, .shop-facts td { text-align: start; vertical-align: top; padding-block: 0.625rem; padding-inline-end: 1rem; border-block-end: 1px solid var(--line); }
.shop-facts th { font-weight: 500; color: var(--muted); inline-size: 40%; }
.shop-facts th::first-letter { text-transform: uppercase; }
.shop-filters { display: flex; flex-wrap: wrap; align-items: end; gap: 0.75rem; padding: 1rem; margin-block-end: 2rem; border: 1px solid var(--line); border-radius: var(--round); }
.shop-filters > div { flex: 1 1 6rem; }
.shop-filters > div:first-of-type { flex: 2 1 13rem; }
.shop-pages { display: flex; justify-content: space-between; gap: 1rem; margin-block-start: 2.5rem; }
.shop-checkout { display: grid; gap: 2rem; align-items: start; }
.shop-form { display: grid; gap: 2rem; }
.shop-fields { display: grid; gap: 1rem; }
.shop-choice { display: flex; align-items: center; gap: 0.75rem; padding: 0.875rem 1rem; border: 1px solid var(--line); border-radius: 10px; font-weight: 500; margin: 0; }
.shop-choice input { inline-size: 1.25rem; min-block-size: 1.25rem; block-size: 1.25rem; accent-color: var(--accent); margin: 0; }
.shop-choice .shop-price { margin-inline-start: auto; }
.shop-summary { padding: 1.5rem; border-radius: var(--round); background: var(--soft); display: grid; gap: 1rem; }
.shop-line { display: flex; justify-content: space-between; gap: 1rem; }
.shop-sum { border-block-start: 1px solid #cfd4dc; padding-block-start: 1rem; font-weight: 650; }
.shop-orders { display: grid; gap: 1rem; }
.shop-order { display: grid; gap: 0.5rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: var(--round); }
.shop-order-top { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.5rem 1rem; }
.shop-footer { border-block-start: 1px solid var(--line); background: var(--soft); color: var(--muted); }
.shop-footer-inner { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 1rem 2rem; padding-block: 2rem; font-size: 0.9375rem; }
.shop-footer ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; }
.shop-footer a { display: inline-block; padding-block: 0.375rem; }
@media (min-width: 640px) {
  .shop-fields { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .shop-span { grid-column: 1 / -1; }
}
@media (min-width: 768px) {
  .shop-search { order: 0; flex: 1 1 18rem; max-inline-size: 34rem; }
  .shop-grid, .shop-tiles { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 1.75rem 1.25rem; }
  .shop-hero-image { grid-template-columns: 1.1fr 1fr; }
  .shop-product { grid-template-columns: 1.15fr 1fr; gap: 3.5rem; }
  .shop-checkout { grid-template-columns: minmax(0, 1.6fr) minmax(0, 1fr); gap: 3rem; }
}
@media (min-width: 1280px) {
  .shop-grid, .shop-tiles { grid-template-columns: repeat(4, minmax(0, 1fr)); }
}
@media (prefers-reduced-motion: reduce) {
  * { transition: none !important; animation: none !important; }
  .shop-button:hover, button:hover, .shop-card a:hover .shop-thumb img { transform: none; }
}
`;
