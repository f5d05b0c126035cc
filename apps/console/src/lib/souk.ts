import type { SoukClient } from "@souk/client";
import { createContext, useContext } from "react";

export const SoukContext = createContext<SoukClient | null>(null);

/** The client of this page. */
export function useSouk(): SoukClient {
  const souk = useContext(SoukContext);
  if (!souk) throw new Error("no client is provided here");
  return souk;
}
