import { CompiledCache } from "../liquid/compiled_cache.ts";
import { scopeStyles } from "../liquid/html/styles.ts";

/** Size limit of kept styles, in characters. */
const MOST_KEPT = 4 * 1024 * 1024;

const kept = new CompiledCache<string>(MOST_KEPT);

/**
 * Scopes styles to a class, as scopeStyles. Results are kept, because parsing styles takes longer than the rest of a page.
 * Throws as scopeStyles does.
 */
export function scopedStyles(css: string, className: string): string {
  return kept.get(className, css, () => scopeStyles(css, className));
}
