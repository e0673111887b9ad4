import type { Build, ReadStore } from '../../../src/ports/read-store.port.js';

/** The same object, with `before` called before each of its methods. */
export function steppedThrough<T extends object>(
  object: T,
  before: (method: string, args: readonly unknown[]) => Promise<void>,
): T {
  return new Proxy(object, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args: readonly unknown[]) => {
        const call = () => Reflect.apply(method, target, args) as unknown;
        // These two methods return synchronously.
        if (name === 'flushSoon') return call();
        const waited = before(String(name), args);
        return name === 'subscribe' ? call() : waited.then(call);
      };
    },
  });
}

/** A store whose process dies after this number of calls: later calls do not reach it. */
export function dying(store: ReadStore, after: number): { readonly store: ReadStore; readonly died: Promise<true> } {
  let calls = 0;
  const died = Promise.withResolvers<true>();
  const mortal = steppedThrough(store, async () => {
    calls += 1;
    if (calls <= after) return;
    died.resolve(true);
    throw new Error('The process was killed.');
  });
  return { store: mortal, died: died.promise };
}

/** A store that fails to prepare one read model. Another one's checkpoint cannot be read before `release` is called. */
export function failingStart(store: ReadStore, { fails, waits }: { readonly fails: string; readonly waits: string }) {
  const [held, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const failing = steppedThrough(store, async (method, [build]) => {
    const projection = (build as Build | undefined)?.projection;
    if (method === 'prepare' && projection === fails) throw new Error('The disk is full.');
    if (method !== 'checkpoint' || projection !== waits) return;
    held.resolve();
    await gate.promise;
  });
  return { store: failing, held: held.promise, release: () => gate.resolve() };
}
