import { useState } from "react";
import { useTranslation } from "react-i18next";
import { EntranceFrame } from "./entrance-frame";
import { Join } from "./join";
import { OpenTenant } from "./open-tenant";
import { SignIn } from "./sign-in";

const FORMS = { signIn: SignIn, openTenant: OpenTenant, join: Join };
const NAMES = ["signIn", "openTenant", "join"] as const;

/** The page for people who are not signed in: sign in, open a tenant, or accept an invitation. */
export function Entrance() {
  const { t } = useTranslation();
  const [name, setName] = useState<(typeof NAMES)[number]>("signIn");
  const CurrentForm = FORMS[name];
  const others = NAMES.filter((other) => other !== name);
  return (
    <EntranceFrame title={t(`entrance.${name}.title`)}>
      <CurrentForm />
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
