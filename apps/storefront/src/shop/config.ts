/** The shop's configuration. It is in `config.json` next to the page, so that one build serves any shop. */
export interface Config {
  url: string;
  /** The project's publishable key. A secret key must never be here. */
  publishable_key: string;
  /** The domain of the marketplace. Default: the domain of the page. */
  domain: string;
}

/** Completes the content of `config.json`. `host` is the domain of the page. Throws when it is incomplete. */
export function configOf(given: Partial<Config>, host: string): Config {
  const { url, publishable_key, domain = host } = given;
  if (!url || !publishable_key) throw new Error("config.json lacks url or publishable_key");
  if (publishable_key.startsWith("sb_secret_")) throw new Error("config.json holds a secret key");
  return { url, publishable_key, domain };
}

/** Reads `config.json`. Throws when it is missing or incomplete. */
export async function readConfig(): Promise<Config> {
  const answer = await fetch(`${import.meta.env.BASE_URL}config.json`);
  return configOf(await answer.json(), location.hostname);
}
