import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useEffectEvent, useRef } from "react";

/** Time in which changes are collected, in ms, so that many changes cause one reload. */
const GATHER_MS = 200;

/** Returns a function that invalidates the queries that begin with `key`, a moment after it is called. */
export function useRefresh(key: readonly string[]): () => void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const refresh = useEffectEvent(() => {
    timer.current = undefined;
    void queries.invalidateQueries({ queryKey: key });
  });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return useCallback(() => {
    timer.current ??= setTimeout(refresh, GATHER_MS);
  }, []);
}
