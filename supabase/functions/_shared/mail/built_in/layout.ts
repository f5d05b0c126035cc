import type { Language } from "../../values/languages.ts";
import { isRightToLeft } from "../../values/languages.ts";
import type { ItemTable, MailParts, Paragraph } from "./mail_parts.ts";
import { stylesFor } from "./styles.ts";
import { COMMON_WORDS, type CommonWords } from "./words.ts";

/** Maximum number of items that a mail lists in all its tables, so that mail programs do not cut it off. */
const MOST_ITEMS = 40;

/** HTML that is rendered only if a variable has a value. */
const where = (variable: string, html: string) => `{% if ${variable} %}${html}{% endif %}`;

/** The HTML of a mail in one language, in Liquid. Parts whose variables have no value are left out. */
export function layout(parts: MailParts, language: Language): string {
  const words = parts.words[language];
  const common = COMMON_WORDS[language];
  return `<style>
${stylesFor(isRightToLeft(language))}
</style>
<div class="preheader" aria-hidden="true">${words.preheader}</div>
<table class="page" role="presentation"><tr><td class="around">
<table class="card" role="presentation">
<tr><td class="head" style="background-color: {{ brand.color }}; color: {{ brand.on_color }}">${HEAD}</td></tr>
<tr><td class="main">
<h1>${words.title}</h1>
${greeting(common)}
${words.paragraphs.map(paragraph).join("\n")}
${[
  facts(parts, language),
  ...itemTables(parts, common),
  (parts.hasAddress ? address("shipping_address", common.deliver_to) : "") +
    (parts.hasInvoice ? invoice(common) : ""),
  button(parts, words.button),
]
  .filter(Boolean)
  .join("\n")}
</td></tr>
<tr><td class="foot">
${foot(common)}
</td></tr>
</table>
</td></tr></table>
`;
}

const HEAD = `{% capture mark %}{% if brand.logo_url %}<img class="logo" src="{{ brand.logo_url }}" alt="{{ brand.name | truncate: 100 }}">{% else %}{{ brand.name | truncate: 100 }}{% endif %}{% endcapture %}${linked("mark")}`;

/** The value of a variable, as a link to the marketplace if that has a domain. */
function linked(variable: string): string {
  return `{% if marketplace.url %}<a class="mark" href="{{ marketplace.url }}" style="color: {{ brand.on_color }}">{{ ${variable} }}</a>{% else %}{{ ${variable} }}{% endif %}`;
}

function greeting({ greeting, greeting_without_name }: CommonWords): string {
  return `{% assign name = user.name | default: customer.name %}<p>{% if name %}${greeting}{% else %}${greeting_without_name}{% endif %}</p>`;
}

function paragraph(paragraph: Paragraph): string {
  if (typeof paragraph === "string") return `<p>${paragraph}</p>`;
  return `{% if ${paragraph.if} %}<p>${paragraph.text}</p>{% endif %}`;
}

function facts({ facts, words }: MailParts, language: Language): string {
  if (!facts) return "";
  const names = words[language].facts ?? {};
  const rows = Object.entries(facts).map(([key, { of, shown }]) =>
    where(
      of,
      `<tr><th class="label" scope="row">${names[key]}</th><td class="value">${typeof shown === "string" ? shown : shown[language]}</td></tr>`,
    ),
  );
  const any = Object.values(facts)
    .map(({ of }) => `${of}`)
    .join(" or ");
  return `{% if ${any} %}<table class="facts">${rows.join("\n")}</table>{% endif %}`;
}

function itemTables({ items: tables = [] }: MailParts, common: CommonWords): string[] {
  const most = Math.floor(MOST_ITEMS / tables.length);
  return tables.map((table) => items(table, common, most));
}

function items(
  { of, delivery, taxes, sum, sumName, withoutQuantity = false }: ItemTable,
  common: CommonWords,
  most: number,
): string {
  const currency = "order.currency";
  const unlessWithout = (html: string) => (withoutQuantity ? "" : html);
  const wide = withoutQuantity ? "" : ' colspan="2"';
  const row = `<tr><td class="first"><bdi>{{ item.name | default: item.product_id | truncate: 120 }}</bdi></td>${unlessWithout('<td class="value number">{{ item.quantity | number }}</td>')}<td class="value number">{{ item.amount | money: ${currency} }}</td></tr>`;
  const line = (name: string, of: string, kind: string) =>
    where(
      of,
      `<tr><td class="${kind}"${wide}>${name}</td><td class="${kind} number">{{ ${of} | money: ${currency} }}</td></tr>`,
    );
  const tax = `<tr><td class="first"${wide}>{% if tax.note %}${common.reverse_charge}{% else %}{% if order.tax_included %}${common.contains} {% endif %}<bdi>{{ tax.name | truncate: 100 }}</bdi> {{ tax.rate | number }} %{% endif %}</td><td class="first number">{{ tax.tax_amount | money: ${currency} }}</td></tr>`;
  const discount = taxes
    ? `{% if order.discount_amount > 0 %}<tr><td class="first"${wide}>${common.discount}</td><td class="first number">−{{ order.discount_amount | money: ${currency} }}</td></tr>{% endif %}\n`
    : "";
  const taxLines = taxes ? `{% for tax in ${taxes} limit: 20 %}${tax}{% endfor %}\n` : "";
  return `{% if ${of}.first %}<table class="items">
<tr><th class="label" scope="col">${common.product}</th>${unlessWithout(`<th class="label number" scope="col">${common.quantity}</th>`)}<th class="label number" scope="col">${common.amount}</th></tr>
{% for item in ${of} limit: ${most} %}${row}
{% endfor %}{% if ${of}.size > ${most} %}<tr><td class="label" colspan="${withoutQuantity ? 2 : 3}">${common.more_items}</td></tr>{% endif %}
${delivery ? `{% if ${delivery} > 0 %}${line(common.delivery, delivery, "first")}{% endif %}\n` : ""}${discount}${taxLines}${sum ? line(common[sumName ?? "total"], sum, "sum") : ""}
</table>{% endif %}`;
}

/** What mails show of an address. Which of it an address has depends on its country. */
const ADDRESS_FIELDS = [
  ...["name", "company", "street", "street2", "postal_code", "city", "region", "country"],
];

/** An address of the order below its title. */
function address(of: "shipping_address" | "billing_address", title: string): string {
  // A street has up to three lines.
  const shown = ADDRESS_FIELDS.map(
    (field) =>
      `{% assign lines = order.${of}.${field}${field === "country" ? " | country" : ""} | split: "\\n" %}{% for line in lines limit: 3 %}<br><bdi>{{ line | truncate: 120 }}</bdi>{% endfor %}`,
  );
  return `{% if order.${of}.street or order.${of}.city %}<p><strong>${title}</strong>${shown.join("")}</p>{% endif %}`;
}

/** What is on the invoice: its address if the goods go elsewhere, and the buyer's tax number. */
function invoice({ bill_to, tax_id }: CommonWords): string {
  const differences = ADDRESS_FIELDS.map(
    (field) => `order.billing_address.${field} != order.shipping_address.${field}`,
  );
  return `{% if ${differences.join(" or ")} %}${address("billing_address", bill_to)}{% endif %}${where("order.tax_id", `<p><strong>${tax_id}</strong><br><bdi>{{ order.tax_id | truncate: 50 }}</bdi></p>`)}`;
}

/** A button. Its color is on a table cell, because some mail programs ignore the padding of links. */
function button({ buttonTo }: MailParts, text: string | undefined): string {
  if (!buttonTo || !text) return "";
  return where(
    buttonTo,
    `<table class="action" role="presentation"><tr><td class="press" style="background-color: {{ brand.color }}"><a class="button" href="{{ ${buttonTo} }}" style="color: {{ brand.on_color }}">${text}</a></td></tr></table>`,
  );
}

function foot({ sent_by, unsubscribe }: CommonWords): string {
  const name = `{{ brand.name | truncate: 100 }}`;
  const place = `{% if marketplace.url %} (<a class="quiet" href="{{ marketplace.url }}">{{ marketplace.domain }}</a>){% endif %}`;
  return `${where("brand.name", `<p>${sent_by} ${name}${place}</p>`)}
${where("unsubscribe_url", `<p><a class="quiet" href="{{ unsubscribe_url }}">${unsubscribe}</a></p>`)}`;
}
