import { createIsbotFromList, list } from "isbot";

/** What programs that shop for somebody call themselves: a shop's app, its server, a developer's terminal. */
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
 * Whether a program calls itself a bot. Those of isbot's patterns that ask for a browser are left out: a shop's app is
 * none.
 */
export const isDeclaredBot = createIsbotFromList(
  list.filter((pattern) => !SHOPPERS.some((name) => new RegExp(pattern, "i").test(name))),
);
