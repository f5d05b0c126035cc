/** The address of the API. It is in `config.json` next to the page, so that one build serves any project. */
export interface Config {
  url: string;
  /** The project's publishable key. A secret key must never be here. */
  publishable_key: string;
}

/** Reads `config.json`. Throws when it is missing or invalid. */
export async function readConfig(): Promise<Config> {
  const answer = await fetch(`${import.meta.env.BASE_URL}config.json`);
  const config: Partial<Config> = await answer.json();
  if (!config.url || !config.publishable_key)
    throw new Error("config.json lacks url or publishable_key");
  if (config.publishable_key.startsWith("sb_secret_"))
    throw new Error("config.json holds a secret key");
  return { url: config.url, publishable_key: config.publishable_key };
}
