import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { HOSTED_DENO_VERSION } from "../packages/stack/src/functions/deno.js";

/**
 * Maximum size of a bundle in bytes: hosted accepts 5 MB if it bundles a function itself, as with `--use-api`
 * (https://supabase.com/docs/guides/troubleshooting/edge-function-bundle-size-issues).
 */
export const MOST_BYTES = 5_000_000;

const PROJECT = fileURLToPath(new URL("../supabase", import.meta.url));

/** An edge function in one file. */
export interface Bundle {
  name: string;
  /** Its size in bytes. */
  bytes: number;
  /** Its size when it is packed by gzip, in bytes. */
  packed: number;
  /** The modules that it imports: only those of Node, which hosted's runtime has. */
  imports: string[];
}

/**
 * Writes each edge function as one file into a folder, below `supabase` as the Supabase CLI expects it, with the
 * settings of the functions. What is there already is removed.
 */
export async function writeBundles(folder: string): Promise<Bundle[]> {
  const project = join(folder, "supabase");
  rmSync(project, { recursive: true, force: true });
  const names = readdirSync(join(PROJECT, "functions")).filter((name) =>
    existsSync(join(PROJECT, "functions", name, "index.ts")),
  );
  const bundles = await Promise.all(
    names.map((name) => writeBundle(name, join(project, "functions", name, "index.js"))),
  );
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "config.toml"), settingsOf(names));
  return bundles;
}

/** The bundles that hosted would refuse. */
export const tooLarge = (bundles: Bundle[], most = MOST_BYTES) =>
  bundles.filter(({ bytes }) => bytes > most);

async function writeBundle(name: string, outfile: string): Promise<Bundle> {
  const { metafile } = await build({
    entryPoints: [join(PROJECT, "functions", name, "index.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: `deno${HOSTED_DENO_VERSION}`,
    // Otherwise esbuild writes `node:fs` as `fs` for Deno.
    supported: { "node-colon-prefix-import": true, "node-colon-prefix-require": true },
    // Names are kept, because logs show them.
    minifySyntax: true,
    minifyWhitespace: true,
    charset: "utf8",
    legalComments: "none",
    // Its own bundle: the other modules read their data from files.
    alias: { "css-tree": "css-tree/dist/csstree.esm" },
    define: { global: "globalThis" },
    inject: [fileURLToPath(new URL("bundle-globals.ts", import.meta.url))],
    // For packages in CommonJS, which require modules of Node.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom("file:///");',
    },
    plugins: [builtins],
    metafile: true,
    logLevel: "error",
  });
  const [output] = Object.values(metafile.outputs);
  const text = readFileSync(outfile);
  return {
    name,
    bytes: text.length,
    packed: gzipSync(text).length,
    imports: [...new Set(output?.imports.map(({ path }) => path))].toSorted(),
  };
}

/** Writes `fs` as `node:fs`. Deno knows the short names in npm packages only. */
const builtins: Plugin = {
  name: "builtins",
  setup({ onResolve }) {
    const short = new Set(builtinModules.filter((name) => !name.startsWith("node:")));
    onResolve({ filter: /^[a-z_/]+$/ }, ({ path }) =>
      short.has(path) ? { path: `node:${path}`, external: true } : undefined,
    );
  },
};

/** The project's settings, in which each function has its bundle as entry point and needs no import map. */
function settingsOf(names: string[]): string {
  const settings = readFileSync(join(PROJECT, "config.toml"), "utf8");
  return names.reduce(
    (text, name) => {
      const heading = `[functions.${name}]\n`;
      if (!text.includes(heading)) throw new Error(`config.toml has no [functions.${name}]`);
      return text.replace(heading, `${heading}entrypoint = "./functions/${name}/index.js"\n`);
    },
    settings.replaceAll(/^import_map = .*\n/gm, ""),
  );
}
