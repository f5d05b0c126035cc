import type { ReactNode } from "react";
import { LanguageChoice } from "../components/language-choice";
import { Logo } from "../components/logo";

/** The frame of the pages for people who are not signed in. */
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
