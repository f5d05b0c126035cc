// Node's globals, which Deno gives to npm packages only. In a bundle, packages are part of the function.
export { Buffer } from "node:buffer";
export { default as process } from "node:process";
export {
  clearImmediate,
  clearInterval,
  clearTimeout,
  setImmediate,
  setInterval,
  setTimeout,
} from "node:timers";
