import { createIsbotFromList, list } from "isbot";

/** User agents that are no bots: a shop's app, its server, a developer's terminal. */
const SHOPPERS = [
  "node",
  "Deno/2.1.4",
  "Bun/1.1.0",
  "curl/8.5.0",
  "okhttp/4.12.0",
  "axios/1.7.2",
  "Souk/1.0",
];

/**
 * Whether a user agent declares a bot. Patterns of isbot that also match programs without a browser are left out, since a
 * shop's app is such a program.
 */
export const isDeclaredBot = createIsbotFromList(
  list.filter((pattern) => !SHOPPERS.some((name) => new RegExp(pattern, "i").test(name))),
);
