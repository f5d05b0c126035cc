import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Arrival } from "./arrival";
import { EntranceFrame } from "./entrance-frame";
import { ForgotPassword } from "./forgot-password";
import { Join } from "./join";
import { OpenTenant } from "./open-tenant";
import { SignIn } from "./sign-in";

const FORMS = {
  signIn: SignIn,
  forgotPassword: ForgotPassword,
  openTenant: OpenTenant,
  join: Join,
};
const NAMES = ["signIn", "forgotPassword", "openTenant", "join"] as const;

function firstFor({ invitation, recovery }: Arrival): (typeof NAMES)[number] {
  if (invitation) return "join";
  // Nobody is signed in, so its link was not valid, or not in this browser.
  return recovery ? "forgotPassword" : "signIn";
}

/** The page for people who are not signed in: sign in, choose a new password, open a tenant, or accept an invitation. */
export function Entrance({ arrival, onJoin }: { arrival: Arrival; onJoin(): void }) {
  const { t } = useTranslation();
  const [name, setName] = useState(() => firstFor(arrival));
  const CurrentForm = FORMS[name];
  const others = NAMES.filter((other) => other !== name);
  return (
    <EntranceFrame title={t(`entrance.${name}.title`)}>
      {arrival.recovery && <p role="alert">{t("entrance.forgotPassword.expired")}</p>}
      <CurrentForm invitation={arrival.invitation} onJoin={onJoin} />
      <div className="entrance-others">
        {others.map((other) => (
          <button key={other} type="button" className="link" onClick={() => setName(other)}>
            {t(`entrance.${other}.link`)}
          </button>
        ))}
      </div>
    </EntranceFrame>
  );
}
