import { expect, it } from "vitest";
import { ownMail } from "./rendered.js";

async function made(html: string): Promise<string> {
  return (await ownMail(html)).html;
}

it("writes styles into the elements that they apply to", async () => {
  const html = await made(`<style>
    p { color: #111111; margin: 0 }
    .lead { color: #222222 !important; margin-top: 4px }
    div > .lead, #one { font-size: 20px }
    p, td { COLOR: #333333 }
    [lang=de] b { color: #444444 }
  </style><div><p class="lead" style="color: #555555; padding: 1px">a</p></div><p id="one">b</p><i lang="de"><b>c</b></i>`);
  expect(html).toContain(
    '<p class="lead" style="margin:0;color:#222222 !important;margin-top:4px;font-size:20px;padding:1px">a</p>',
  );
  expect(html).toContain('<p id="one" style="margin:0;color:#333333;font-size:20px">b</p>');
  expect(html).toContain('<i lang="de"><b style="color:#444444">c</b></i>');
  expect(html).not.toContain("<style>");
});

it("keeps rules that have no inline form, with priority", async () => {
  const html = await made(`<style>
    a { color: #111111 } a:hover { color: #222222 } p ~ p { margin: 0 }
    @media (max-width: 600px) { .wide { width: 100%; } }
  </style><a href="/">a</a>`);
  expect(html).toContain(
    "<style>a:hover{color:#222222!important}\np~p{margin:0!important}\n@media (max-width:600px){.wide{width:100%!important}}</style>",
  );
  expect(html).toContain('<a href="https://amber.example/" style="color:#111111">a</a>');
});

it("uses the body of a whole document", async () => {
  const html =
    await made(`<!DOCTYPE html><html lang="de"><head><meta charset="utf-8"><title>x</title>
<style type="text/css">body { margin: 9px } .a { color: #111111 }</style></head>
<body class="a" bgcolor="#ffffff"><p>Hello</p></body></html>`).catch(String);
  expect(html).toContain("<div> cannot have bgcolor");
  const right = await made(`<!DOCTYPE html><html lang="de"><head><title>x</title>
<style type="text/css">body { margin: 9px } .a { color: #111111 }</style></head>
<body class="a"><p>Hello</p></body></html>`);
  expect(right).toContain('<div class="a" style="color:#111111"><p>Hello</p></div>');
  expect(right).toContain('<body style="margin:0;padding:0">');
  expect(right.match(/<html|<body|<title>/g)).toHaveLength(3);
});

it("adds the attributes that Word reads to tables", async () => {
  const html = await made(
    `<table role="presentation" style="width:600px;margin:0 auto;background-color:#ffffff"><tr><td style="width:50%;text-align:center;vertical-align:top"><img src="/a.png" alt="" style="width:40px"></td></tr></table>`,
  );
  expect(html).toContain(
    'width="600" border="0" cellpadding="0" cellspacing="0" align="center" bgcolor="#ffffff"',
  );
  expect(html).toContain('width="50%" align="center" valign="top"');
  expect(html).toContain('alt="" style="width:40px" width="40" border="0"');
});

it.each([
  ["style", "<style>".repeat(30_000)],
  ["head", "<head>".repeat(30_000)],
  ["html", "<html <html ".repeat(20_000)],
  ["blanks", `<pre>${" ".repeat(80_000)}x</pre>`],
  ["brackets", `<p style="color:${"(".repeat(2_000)}">x</p>`],
  [
    "selectors",
    `<style>${"* * * * * * b,".repeat(300)}i{color:red}</style>${"<b><i></i></b>".repeat(4_000)}`,
  ],
  [
    "depth",
    `<style>${"b ".repeat(60)}i{color:red}</style>${"<b>".repeat(99)}x${"</b>".repeat(99)}`,
  ],
])("takes linear time for many %s", async (_, html) => {
  // Quadratic time would exceed the timeout of the test.
  await expect(made(html).catch(String)).resolves.toEqual(expect.any(String));
});
