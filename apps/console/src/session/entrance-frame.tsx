import type { ReactNode } from "react";
import { LanguageChoice } from "../components/language-choice";
import { Logo } from "../components/logo";

/** The page around the forms of those who are not inside yet. */
export function EntranceFrame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="entrance">
      <div className="entrance-card">
        <Logo />
        <h1>{title}</h1>
        {children}
      </div>
      <LanguageChoice />
    </main>
  );
}
