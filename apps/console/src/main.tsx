import { createClient } from "@souk/client";
import { createRoot } from "react-dom/client";
import { App } from "./app/app";
import { CannotStart } from "./app/cannot-start";
import { readConfig } from "./lib/config";
import { shownTenant } from "./lib/shown-tenant";
import { readTheme, showTheme } from "./lib/theme";
import { startTexts } from "./texts/texts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/layout.css";
import "./styles/table.css";
import "./styles/overlays.css";
import "./styles/parts.css";

showTheme(readTheme());
const element = document.getElementById("root");
if (!element) throw new Error("the page has no root");
const root = createRoot(element);
await startTexts();
try {
  const { url, publishable_key } = await readConfig();
  // The page never gets tokens in its URL, so the client need not look for them.
  const souk = createClient(url, publishable_key, {
    auth: { detectSessionInUrl: false },
    tenant: () => shownTenant.id,
  });
  root.render(<App souk={souk} url={url} />);
} catch (error) {
  root.render(<CannotStart error={error} />);
}
