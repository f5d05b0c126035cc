/** Claims a folder that exists for this process; null when a living process holds it. */
export function lockFolder(folder: string): Promise<null | (() => Promise<void>)>;
