import { describe, expect, it } from "vitest";
import {
  checkDeclarations,
  checkStyles,
  declarationsOf,
  scopeStyles,
} from "../../supabase/functions/_shared/liquid/html/styles.ts";
import { TemplateMistake } from "../../supabase/functions/_shared/liquid/mistakes.ts";

// Styles affect their component only, load nothing from other hosts and cover nothing else.

describe("styles", () => {
  it.each([
    ["p{color:red}", ".s p{color:red}"],
    ["p,a:hover>b{color:red}", ".s p,.s a:hover>b{color:red}"],
    [":root{--a:1px}", ".s{--a:1px}"],
    ["html .a{color:red}", ".s .a{color:red}"],
    ["body.dark{color:red}", ".s.dark{color:red}"],
    [":scope>p{color:red}", ".s>p{color:red}"],
    ["&:hover{color:red}", ".s:hover{color:red}"],
    ["*{margin:0}", ".s *{margin:0}"],
    ["p:is(html,.a)+b{color:red}", ".s p:is(html,.a)+b{color:red}"],
    ["@media (width<600px){p{color:red}}", "@media (width<600px){.s p{color:red}}"],
    ["@supports (display:grid){p{display:grid}}", "@supports (display:grid){.s p{display:grid}}"],
    [
      "@keyframes in{from{opacity:0}50%{opacity:.5}}p{animation:in 1s}",
      "@keyframes s-in{from{opacity:0}50%{opacity:.5}}.s p{animation:s-in 1s}",
    ],
    [
      '@font-face{font-family:"Our";src:url(/a.woff2)}p{font-family:"Our",serif;font:1em Our}',
      '@font-face{font-family:"s-Our";src:url(/a.woff2)}.s p{font-family:"s-Our",serif;font:1em s-Our}',
    ],
    ["p{background:url(/a.png)}", ".s p{background:url(/a.png)}"],
    ["p{width:calc(100% - var(--a))}", ".s p{width:calc(100% - var(--a))}"],
    [
      "@font-face{FONT-FAMILY:Our;src:url(/a.woff2)}p{font-family:our}",
      "@font-face{FONT-FAMILY:s-Our;src:url(/a.woff2)}.s p{font-family:s-our}",
    ],
    ["/* why */p{position:relative}", ".s p{position:relative}"],
    ["p{color:red;;}", ".s p{color:red;;}"],
    ["  ", ""],
  ])("%s", (css, scoped) => {
    expect(scopeStyles(css, "s")).toBe(scoped);
  });

  it.each([
    ['@import "/a.css";', "@import"],
    ["@charset 'utf-8';", "@charset"],
    ["@namespace a url(b);", "@namespace"],
    ["@layer a{p{color:red}}", "@layer"],
    ["@property --a{syntax:'*';inherits:false}", "@property"],
    ["@page{margin:0}", "@page"],
    ["p{background:url(https://evil.example/a)}", "relative"],
    ["p{background:url(//evil.example/a)}", "relative"],
    ["p{background:url('data:image/svg+xml,x')}", "relative"],
    ["p{background:u\\72l(https://evil.example/a)}", ""],
    ["p{background:image-set('https://evil.example/a' 1x)}", "image-set"],
    ["p{background:-webkit-image-set(url(/a) 1x)}", "image-set"],
    ["p{background:src('https://evil.example/a')}", "src"],
    ["p{--a:url(https://evil.example/a)}", "relative"],
    ["@font-face{font-family:a;src:url(https://evil.example/a)}", "relative"],
    ["@supports (background:url(https://evil.example/a)){p{color:red}}", ""],
    ["p{width:expression(alert(1))}", "expression"],
    ["p{behavior:url(/a.htc)}", "behavior"],
    ["p{-moz-binding:url(/a.xml)}", "-moz-binding"],
    ["p{position:fixed}", "position"],
    ["p{POSITION:FIXED}", "position"],
    ["p{position:sticky}", "position"],
    ["p{position:var(--a)}", "position"],
    ["p{pos\\69tion:fixed}", "property"],
    ["p{position:fixed!important}", "position"],
    ["@font-face{font-family:Our Own;src:url(/a)}", "quotes"],
    ["@keyframes a{body{color:red}}", "keyframe"],
    ["p{*position:fixed}", ""],
    ["p{_position:fixed}", "property"],
    ["html+p{color:red}", "beside"],
    [":root~p{color:red}", "beside"],
    ["& + p{color:red}", "beside"],
    [">p{color:red}", "begins"],
    ["+p{color:red}", "begins"],
    ["p{color:red;& b{color:red}}", "nested"],
    ["p{b{color:red}}", "not allowed|invalid"],
    [":host{color:red}", "host"],
    ["p{color:red}}b{color:blue}", ""],
    ["p{content:'</style><script>alert(1)</script>'}", "<"],
    ["p{content:'<!--'}", "<"],
    ["@media (a</style>){p{color:red}}", ""],
    ["</style>", ""],
    ["<script>alert(1)</script>", ""],
  ])("are refused: %s", (css, why) => {
    expect(() => checkStyles(css)).toThrow(TemplateMistake);
    expect(() => checkStyles(css)).toThrow(new RegExp(why));
  });

  it("have a limit of nesting", () => {
    for (const css of [`p{width:${"calc(".repeat(15_000)}`, "@media all{".repeat(8000)]) {
      expect(() => checkStyles(css)).toThrow(TemplateMistake);
    }
  });

  it("report line and column of a mistake", () => {
    expect(() => checkStyles("p {\n  color: red;\n  position: fixed\n}")).toThrow(
      expect.objectContaining({ line: 3, column: 3 }),
    );
  });

  it("have a limit of size", () => {
    for (const css of [`${"a,".repeat(40_000)}a{color:red}`, "a{b:c}".repeat(10_000)]) {
      expect(() => checkStyles(css)).toThrow(expect.objectContaining({ limit: "items" }));
    }
    expect(() => checkStyles(`p{color:${"a".repeat(100_000)}}`)).toThrow(
      expect.objectContaining({ limit: "bytes" }),
    );
  });
});

describe("declarations", () => {
  it("are written from properties", () => {
    expect(declarationsOf({ color: "red", "margin-top": "calc(1px + 2px)" })).toBe(
      "color:red;margin-top:calc(1px + 2px)",
    );
  });

  it.each([
    [{ color: "red;position:fixed" }, "one property|position"],
    [{ color: "red}body{color:red" }, ""],
    [{ "color:red;a": "b" }, ""],
    [{ background: "url(https://evil.example)" }, "relative"],
    [{ color: "</style>" }, ""],
  ])("are refused: %j", (properties, why) => {
    expect(() => declarationsOf(properties)).toThrow(new RegExp(why));
    expect(() => declarationsOf(properties)).toThrow(TemplateMistake);
  });

  it("can be in an attribute, with inserted values", () => {
    expect(() => checkDeclarations("color: \ue000; margin: 0")).not.toThrow();
    expect(() => checkDeclarations("color: red; p { color: red }")).toThrow(TemplateMistake);
  });
});
