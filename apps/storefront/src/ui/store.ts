import { useEffect, useState } from "preact/hooks";

/** A value that components subscribe to. */
export type Store<Value> = ReturnType<typeof createStore<Value>>;

export function createStore<Value>(value: Value) {
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next: Value) {
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
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
