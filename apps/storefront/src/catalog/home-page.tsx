import { TemplatePage } from "./template-page";

export function HomePage() {
  return <TemplatePage type="homepage" />;
}
