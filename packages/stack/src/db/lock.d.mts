/** Claims an existing folder for this process; null when a living process holds it. */
export function lockFolder(folder: string): Promise<null | (() => Promise<void>)>;
