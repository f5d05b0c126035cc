import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig(({ isSsrBuild }) => ({
  resolve: {
    // The client's source, because its package is not built here.
    alias: {
      "@souk/client": fileURLToPath(new URL("../../packages/client/src/index.ts", import.meta.url)),
    },
  },
  // The server is one file, which needs no packages.
  ssr: { noExternal: true },
  // @hono/node-server uses Node's name, which Deno lacks.
  ...(isSsrBuild && { define: { global: "globalThis" } }),
  // The address in the mails of Auth, see supabase/config.toml.
  server: { port: 54330 },
  build: {
    target: "es2023",
    emptyOutDir: true,
    ...(isSsrBuild && { outDir: "dist-server", copyPublicDir: false }),
    // The content security policy allows no `data:` images in styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
}));
