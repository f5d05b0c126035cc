import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  resolve: {
    // The client's sources, as its package has no build here.
    alias: {
      "@souk/client": fileURLToPath(new URL("../../packages/client/src/index.ts", import.meta.url)),
    },
  },
  build: {
    target: "es2023",
    emptyOutDir: true,
    // Pages under a strict policy take no pictures from `data:` in their styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
  },
});
