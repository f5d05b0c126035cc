import { describe, expect, it } from "vitest";
import {
  checkMailTexts,
  RenderingFailed,
} from "../../supabase/functions/_shared/mail/render_mail.ts";
import { mailOf, marketplace, ownMail } from "./rendered.js";

const own = (html_content: string, subject = "Thanks") => ({ subject, html_content });
const bodyOf = (html: string) => /aria-label="[^"]*">\n(.*)\n<\/div>/s.exec(html)?.[1];

describe("a tenant's own mail", () => {
  it("inserts its variables, escaped for their place", async () => {
    const { subject, html, text, error } = await mailOf({
      own: {
        subject: "Hello {{ customer.name }}",
        html_content:
          '<p title="{{ customer.name }}">{{ customer.name }}: <a href="{{ order.link }}">look</a></p>',
      },
      variables: { customer: { name: "<b>Ann & Co</b>" }, order: { link: "javascript:alert(1)" } },
    });
    expect(error).toBeNull();
    expect(subject).toBe("Hello <b>Ann & Co</b>");
    expect(bodyOf(html)).toBe(
      '<p title="<b>Ann &amp; Co</b>">&lt;b&gt;Ann &amp; Co&lt;/b&gt;: <a href="#">look</a></p>',
    );
    expect(text).toBe("<b>Ann & Co</b>: look\n");
  });

  it("formats amounts, numbers and days for its reader's country", async () => {
    const html_content = {
      de: "<p>{{ order.total_amount | money }} {{ 1234.5 | number }} {{ order.created_at | date }}</p>",
    };
    const variables = { order: { total_amount: "1234.5", created_at: "2026-01-31T23:30:00Z" } };
    const input = {
      languages: ["de-CH"],
      marketplace: { ...marketplace, currency: "CHF" },
      variables,
    };
    const swiss = await ownMail(html_content, input);
    expect(swiss.language).toBe("de");
    expect(swiss.text.replace(/\s/g, " ").replaceAll("'", "’")).toBe(
      "CHF 1’234.50 1’234.5 01.02.2026 ",
    );
    const german = await ownMail(html_content, { ...input, languages: ["de"], timeZone: "UTC" });
    expect(german.text.replace(/\s/g, " ")).toBe("1.234,50 CHF 1.234,5 31.01.2026 ");
  });

  it("resolves relative URLs to the marketplace", async () => {
    const text = '<p><a href="/a?b=1">a</a><a href="#top">b</a><img src="c.png" alt=""></p>';
    const { html } = await ownMail(text);
    expect(bodyOf(html)).toContain(
      '<a href="https://amber.example/a?b=1">a</a><a href="#top">b</a><img src="https://amber.example/c.png"',
    );
    expect(bodyOf((await ownMail(text, { marketplace: null })).html)).toContain('href="/a?b=1"');
  });

  it("uses its own text part if it has one", async () => {
    const text_content = "Hi {{ customer.name }},\r\n\tthanks\0!";
    const mail = await mailOf({
      own: { ...own("<p>Hello</p>"), text_content },
      variables: { customer: { name: "A & B" } },
    });
    expect(mail.text).toBe("Hi A & B,\n\tthanks !");
  });
});

describe("the language", () => {
  const html_content = { en: "<p>en</p>", de: "<p>de</p>", "pt-BR": "<p>pt</p>" };
  it.each([
    [["de"], "de"],
    [["de-AT", "pt-BR"], "de"],
    [["fr", "pt-br"], "pt-BR"],
    [["zh-Hant-TW"], "en"],
    [[], "en"],
  ])("for %j is %s", async (languages, language) => {
    const mail = await ownMail(html_content, { languages });
    expect(mail.language).toBe(language);
    expect(mail.text.trim()).toBe(language.slice(0, 2));
  });

  it("is any existing one if no other matches", async () => {
    const mail = await ownMail({ fa: "<p>سلام</p>", de: " " }, { languages: ["de"] });
    expect(mail).toMatchObject({ language: "fa", rtl: true });
    expect(mail.html).toContain('<html lang="fa" dir="rtl">');
  });

  it("is the same for subject, HTML and text", async () => {
    const texts = {
      subject: { de: "Danke", fr: "Merci" },
      html_content: { en: "<p>Thanks</p>", fr: "<p>Merci</p>" },
    };
    const mail = await mailOf({ own: texts, languages: ["de", "en"] });
    expect(mail).toMatchObject({ subject: "Merci", language: "fr" });
    const text_content = { de: "Danke" };
    const apart = { subject: "S", html_content: { en: "<p>Thanks</p>" }, text_content };
    const english = await mailOf({ own: apart, languages: ["de"] });
    expect(english).toMatchObject({ language: "en", text: "Thanks\n" });
  });
});

describe("a mail that fails", () => {
  const endless = "{% for a in (1..9999) %}{% for b in (1..9999) %}{{ b }}{% endfor %}{% endfor %}";
  const doubling = `{% assign a = 'xxxxxxxxxx' %}${"{% assign a = a | append: a %}".repeat(25)}{{ a }}`;
  it.each([
    ["invalid Liquid", "<p>{{ customer.name </p>", /^.+ \(line 1, column \d+\)\.$/],
    ["an unknown filter", "<p>{{ 1 | exec }}</p>", "There is no filter exec (line 1, column 4)."],
    ["a script", "<p>\n<script>alert(1)</script></p>", /line 2/],
    ["a URL that runs a script", '<a href="javascript:alert(1)">x</a>', /address must be http/],
    [
      "a style that loads a file",
      '<p style="background:url(https://x.example)">x</p>',
      /relative/i,
    ],
    [
      "a style sheet that loads a file",
      "<style>p{background:url(https://x.example)}</style><p>x</p>",
      /relative/,
    ],
    [
      "a style sheet with an import",
      "<style>@import 'https://x.example';</style><p>x</p>",
      /@import/,
    ],
    ["Liquid in a sheet", "\n<style>p{color:{{ c }}}</style>", /no Liquid in <style>.* \(line 2, /],
    ["an open element", "<p>", /<p> has no end/],
    ["an endless loop", endless, /at most|more than/],
    ["an explosion", doubling, /more than 1000000 \(bytes\)/],
    ["far too much", `<p>${"x".repeat(91_000)}</p>`, "The mail takes more than 90000 (output)."],
    ["an empty text", " ", "The mail has no html_content."],
  ])("because of %s is replaced by the built-in one, with a reason", async (_, html_content, reason) => {
    const mail = await mailOf({ own: own(html_content), variables: { order: { number: 7 } } });
    expect(mail.subject).toBe("We have received your order 7");
    expect(mail.error).toMatch(reason);
    expect(mail.error).not.toMatch(/\n| at .*\.ts/);
    const failing = mailOf({ key: "thanks", own: own(html_content) });
    await expect(failing).rejects.toThrow(RenderingFailed);
    await expect(failing).rejects.toThrow(reason);
  });

  it("cannot read prototypes", async () => {
    const paths =
      "{{ order.constructor }}{{ order.__proto__ }}{{ customer.name.constructor.name }}";
    const variables = { order: JSON.parse('{"__proto__":{"x":1}}'), customer: { name: "A" } };
    const mail = await mailOf({ own: own(`<p>[${paths}]</p>`), variables });
    expect(mail.text).toBe("[]\n");
  });

  it("is refused on saving if any language is invalid", () => {
    const html_content = { en: "<p>a</p>", de: "<p>{{ a | b }}</p>" };
    expect(() => checkMailTexts({ subject: "a", html_content })).toThrow("there is no filter b");
    expect(() => checkMailTexts({ subject: "{{", html_content: "" })).toThrow();
    expect(() =>
      checkMailTexts({ subject: "a", html_content: "", text_content: "{% x %}" }),
    ).toThrow();
  });

  it("with an unknown key fails", async () => {
    await expect(mailOf({ key: "constructor" })).rejects.toThrow("There is no mail constructor.");
  });
});

describe("a subject", () => {
  const subjectOf = async (subject: string, name: string) =>
    (
      await mailOf({
        key: "thanks",
        own: own("<p>x</p>", subject),
        variables: { customer: { name } },
      })
    ).subject;

  it("is one line", async () => {
    const name = "Ann\r\nBcc: all@example.com\0\u2028x";
    expect(await subjectOf("Hi {{ customer.name }}\n", name)).toBe("Hi Ann Bcc: all@example.com x");
    const { subject } = await mailOf({ variables: { order: { number: name } } });
    expect(subject).toBe("We have received your order Ann Bcc: all@example.com x");
  });

  it("has at most 255 characters, without half surrogate pairs", async () => {
    const subject = await subjectOf("{{ customer.name }}", "🧺".repeat(300));
    expect([...subject]).toHaveLength(255);
    expect(subject).toMatch(/^🧺+…$/u);
  });

  it("is never empty", async () => {
    expect(await subjectOf("{{ customer.email }}", "Ann")).toBe("Amber & Oak");
    const mail = await mailOf({ own: own("<p>x</p>", "{{ nothing }}") });
    expect(mail.subject).toBe("We have received your order");
    expect(mail.error).toBe("The mail's subject is empty.");
  });
});
