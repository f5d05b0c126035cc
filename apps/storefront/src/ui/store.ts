import { useEffect, useState } from "preact/hooks";

/** A value that components subscribe to. */
export interface Store<Value> {
  get(): Value;
  set(value: Value): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<Value>(value: Value): Store<Value> {
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<Value>({
  get,
  subscribe,
}: Pick<Store<Value>, "get" | "subscribe">): Value {
  const [value, setValue] = useState(get);
  useEffect(() => {
    const follow = () => setValue(() => get());
    // The value may have changed since the render.
    follow();
    return subscribe(follow);
  }, [get, subscribe]);
  return value;
}
