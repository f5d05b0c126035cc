/**
 * The script of /api/docs: a filter, links that open their operation, and a form that tries an operation. It is a
 * string because functions are deployed as modules only. The page shows everything without it, too.
 */
export const script = String.raw`
"use strict";
// The base address of the project's functions.
const base = location.href.replace(/\/api\/docs([?#].*)?$/, "");
const shown = [...document.querySelectorAll("details[id]")];
let token = "";
let described;

function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

function labelled(text, field) {
  return make("label", {}, text, field);
}

function filter(question) {
  const words = question.toLowerCase().split(/\s+/).filter(Boolean);
  for (const operation of shown) {
    const text = (operation.id + " " + operation.querySelector("summary").textContent).toLowerCase();
    operation.hidden = !words.every((word) => text.includes(word));
  }
  for (const section of document.querySelectorAll("section")) {
    const own = shown.filter((operation) => section.contains(operation));
    section.hidden = words.length > 0 && own.every((operation) => operation.hidden);
  }
}

function openLinked() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target || target.tagName.toLowerCase() !== "details") return;
  target.hidden = false;
  target.closest("section").hidden = false;
  target.open = true;
  target.scrollIntoView();
}

/** The operation with this id in the document, with its method and path. */
async function operationOf(id) {
  described ??= fetch("openapi.json").then((answer) => answer.json());
  for (const [path, methods] of Object.entries((await described).paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId === id) return { method, path, ...operation };
    }
  }
  throw new Error("the document lacks " + id);
}

function formOf({ method, path, parameters = [], requestBody }) {
  const fields = parameters.map((parameter) => ({ ...parameter, input: make("input") }));
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const body = make("textarea", { spellcheck: false });
  if (media?.example !== undefined) body.value = JSON.stringify(media.example, null, 2);
  const answer = make("pre", { hidden: true, tabIndex: 0 });
  answer.setAttribute("aria-live", "polite");
  const form = make(
    "form",
    {},
    make("h3", {}, "Try it"),
    ...fields.map(({ name, in: place, input }) => labelled(name + " (" + place + ")", input)),
    ...(type ? [labelled("body (" + type + ")", body)] : []),
    make("button", { type: "submit" }, method.toUpperCase()),
    answer,
  );

  async function send() {
    const query = new URLSearchParams();
    const headers = {};
    let address = path;
    for (const { name, in: place, input } of fields) {
      if (place === "path") address = address.replace("{" + name + "}", encodeURIComponent(input.value));
      else if (input.value === "") continue;
      else if (place === "query") query.append(name, input.value);
      else headers[name] = input.value;
    }
    if (token) headers.authorization = "Bearer " + token;
    if (type) headers["content-type"] = type;
    const asked = query.size > 0 ? "?" + query : "";
    const response = await fetch(base + address + asked, {
      method: method.toUpperCase(),
      headers,
      ...(type && { body: body.value }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return response.status + "\n" + (isJson ? JSON.stringify(JSON.parse(text), null, 2) : text);
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    answer.hidden = false;
    answer.textContent = "…";
    answer.textContent = await send().catch((error) => String(error));
  });
  return form;
}

const search = make("input", { type: "search", placeholder: "orders, stock, webhooks.create …" });
search.addEventListener("input", () => filter(search.value));
// The token is not stored: leaving the page discards it.
const bearer = make("input", { type: "password", autocomplete: "off" });
bearer.addEventListener("input", () => {
  token = bearer.value.trim();
});
document
  .querySelector("header")
  .append(labelled("Filter", search), labelled("Access token, to try operations", bearer));

for (const operation of shown) {
  operation.addEventListener("toggle", async () => {
    if (!operation.open || operation.querySelector("form")) return;
    const form = formOf(await operationOf(operation.id));
    if (!operation.querySelector("form")) operation.append(form);
  });
}
addEventListener("hashchange", openLinked);
openLinked();
`;
