import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  resolve: {
    // The client's sources, as its package has no build here.
    alias: {
      "@souk/client": fileURLToPath(new URL("../../packages/client/src/index.ts", import.meta.url)),
    },
  },
  // The address to which mails of Auth lead, see supabase/config.toml.
  server: { port: 54330 },
  build: {
    target: "es2023",
    emptyOutDir: true,
    // Pages under a strict policy take no pictures from `data:` in their styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
