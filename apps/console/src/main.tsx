import { createClient } from "@souk/client";
import { createRoot } from "react-dom/client";
import { App } from "./app/app";
import { CannotStart } from "./app/cannot-start";
import { readConfig } from "./lib/config";
import { shownTenant } from "./lib/shown-tenant";
import { readTheme, showTheme } from "./lib/theme";
import { readArrival } from "./session/arrival";
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
  const arrival = readArrival(location.href);
  if (location.hash) history.replaceState(history.state, "", location.pathname + location.search);
  const souk = createClient(url, publishable_key, {
    // The link for a new password works only in the browser that asked for it, so nobody can sign others in.
    auth: { detectSessionInUrl: arrival.recovery === "chosen", flowType: "pkce" },
    tenant: () => shownTenant.id,
  });
  // Somebody opens such a link in a tab that shows the console already.
  addEventListener("hashchange", () => {
    const { invitation, recovery } = readArrival(location.href);
    if (invitation || recovery) location.reload();
  });
  root.render(<App souk={souk} url={url} arrival={arrival} />);
} catch (error) {
  root.render(<CannotStart error={error} />);
}
