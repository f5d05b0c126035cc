/** A static page of the project, which the stack builds and serves. */
export interface App {
  /** Its folder below `apps`, and its name in the log. */
  name: "console" | "storefront";
  /** The setting that chooses its port. */
  setting: string;
}

export const CONSOLE: App = { name: "console", setting: "[studio] port" };
export const STOREFRONT: App = { name: "storefront", setting: "the port of [auth] site_url" };
