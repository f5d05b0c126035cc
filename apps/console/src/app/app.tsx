import { CSPProvider } from "@base-ui/react/csp-provider";
import { DirectionProvider } from "@base-ui/react/direction-provider";
import { Toast } from "@base-ui/react/toast";
import type { SoukClient } from "@souk/client";
import { QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Toasts } from "../components/toasts";
import { createQueries } from "../lib/queries";
import { SoukContext } from "../lib/souk";
import { toasts } from "../lib/toasts";
import type { Arrival } from "../session/arrival";
import { Gate } from "../session/gate";

/** The console of the project at `url`. */
export function App({ souk, url, arrival }: { souk: SoukClient; url: string; arrival: Arrival }) {
  const { i18n } = useTranslation();
  const [queries] = useState(() => createQueries(souk));
  return (
    <CSPProvider disableStyleElements>
      <DirectionProvider direction={i18n.dir()}>
        <SoukContext value={souk}>
          <QueryClientProvider client={queries}>
            <Toast.Provider toastManager={toasts}>
              <Gate url={url} arrival={arrival} />
              <Toasts />
            </Toast.Provider>
          </QueryClientProvider>
        </SoukContext>
      </DirectionProvider>
    </CSPProvider>
  );
}
