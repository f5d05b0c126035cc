import { describe, expect, test } from "vitest";
import { type Envelope, parseMessage } from "../src/mail/message.js";
import { textOfHtml } from "../src/mail/plain-text.js";
import { headersOf } from "../src/mail/shapes.js";
import { unsubscribeOf } from "../src/mail/unsubscribe.js";

const envelope: Envelope = { sender: "a@x.org", recipients: ["b@x.org"], username: "" };
const read = (source: string | Buffer) => parseMessage(Buffer.from(source), envelope);

describe("a mail's source", () => {
  test("is parsed in any charset, and with any line endings", async () => {
    const head =
      "Subject: =?iso-8859-1?Q?Gr=FC=DFe?=\nContent-Type: text/plain; charset=iso-8859-1\n\n";
    const message = await read(Buffer.from(`${head}K\xfcche`, "latin1"));
    expect(message.subject).toBe("Grüße");
    expect((await message.body()).text.trim()).toBe("Küche");
  });

  test("names the members of groups, and those of the envelope that no header names", async () => {
    const { from, to, bcc } = await read(
      'From: "Ada, the first" <ada@x.org>\r\nTo: team: one@x.org, Two <two@x.org>;, B@X.ORG\r\n\r\n',
    );
    expect(from).toEqual({ name: "Ada, the first", address: "ada@x.org" });
    expect(to.map(({ address }) => address)).toEqual(["one@x.org", "two@x.org", "B@X.ORG"]);
    expect(bcc).toEqual([]);
    expect((await read("To: c@x.org\r\n\r\n")).bcc).toEqual([{ name: "", address: "b@x.org" }]);
  });

  test("may have no headers, or be empty", async () => {
    expect((await (await read("\r\nhello\r\n\r\nyou")).body()).text.trim()).toBe("hello\n\nyou");
    expect(await read("")).toMatchObject({ subject: "", to: [], date: null, messageId: "" });
  });

  test("is returned unparsed when its parts are nested too deeply", async () => {
    const parts = Array.from({ length: 300 }, (_, i) => i);
    const open = (i: number) =>
      `Content-Type: multipart/mixed; boundary="b${i}"\r\n\r\n--b${i}\r\n`;
    const message = await read(`Subject: deep\r\n${parts.map(open).join("")}`);
    expect(message.subject).toBe("deep");
    expect((await message.body()).text).toMatch(/^Subject: deep/);
  });

  test("is refused when its headers are too long", async () => {
    await expect(read(`X: ${"x".repeat(3 * 2 ** 20)}\r\n\r\n`)).rejects.toThrow();
  });

  test("can contain headers named like properties of every object", async () => {
    const headers = headersOf(await read("__proto__: 1\r\nX-one: a\r\nx-ONE: b\r\n c\r\n\r\n"));
    expect(Object.entries(headers)).toEqual([
      ["__proto__", ["1"]],
      ["X-One", ["a", "b c"]],
    ]);
  });
});

describe("the text of HTML", () => {
  test("is the visible text, in lines", () => {
    const html = `<head><title>no</title><style>p > a { color: red }</style></head>
      <!--[if mso]><table><tr><td>no</td></tr></table><![endif]--><h1>One &amp; two</h1><p>Gr&#252;&#xDF;e<br>3 &lt; 4</p><script>no("<p>")</script>&nope;`;
    expect(textOfHtml(html).split("\n").filter(Boolean)).toEqual([
      "One & two",
      "Grüße",
      "3 < 4",
      "&nope;",
    ]);
  });

  test("takes a time proportional to the length", () => {
    const began = process.cpuUsage();
    for (const bad of ["<style>", "<!--", "<", "&#", "<script", "\n \n"])
      textOfHtml(bad.repeat(200_000));
    // Processor time: a second is usual, and a time proportional to the square would be minutes.
    expect(process.cpuUsage(began).user / 1e6).toBeLessThan(20);
  });
});

test.each([
  [
    "<https://x.org/a>, <mailto:a@x.org?subject=b>",
    ["https://x.org/a", "mailto:a@x.org?subject=b"],
    "",
  ],
  ["(comment) <mailto:a@x.org>", ["mailto:a@x.org"], ""],
  ["https://x.org/a", [], "no valid unsubscribe links found"],
  ["leave: <https://x.org/a>", [], "should be enclosed in <>"],
  ["<https://x.org/a> <mailto:a@x.org>", [], "should be split with a comma"],
  ["<https://x.org/a>, <https://x.org/b>", ["https://x.org/a"], "only contain one HTTP link"],
  ["<https://x.org/a b>", [], "should not contain spaces"],
  ["<javascript:alert(1)>", [], "should start with either"],
  ["<mailto:a@x.org>, <mailto:b@x.org>, <https://x.org/a>", [], "maximum of one email"],
])("the header List-Unsubscribe: %s", (value, links, error) => {
  const parsed = unsubscribeOf({ headers: [{ name: "list-unsubscribe", value }] });
  expect(parsed.Links).toEqual(links);
  if (error) expect(parsed.Errors).toContain(error);
  else expect(parsed.Errors).toBe("");
});
