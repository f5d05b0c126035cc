import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Option } from "../components/field";
import { useSouk } from "./souk";

/** All countries as options, in the language of the page. Until their names are there, the chosen one alone, by its code. */
export function useCountryOptions(chosen: string): Option[] {
  const souk = useSouk();
  const { language } = useTranslation().i18n;
  const known = useQuery({
    queryKey: ["countries", language],
    queryFn: ({ signal }) => souk.countries.list({ language }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const countries = known.data?.countries ?? (chosen ? [{ code: chosen, name: chosen }] : []);
  return countries.map(({ code, name }) => ({ value: code, label: name }));
}
