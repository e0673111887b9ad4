import { currentDryRun, type DryRun } from './dry-run.js';

type Method = (...args: never[]) => unknown;
type MethodsOf<Port> = { [Name in keyof Port]-?: Port[Name] extends Method ? Name : never }[keyof Port];

/**
 * With `as it is`, the method runs, because it changes nothing outside this process. With `overlay`, this function runs
 * instead, on the dry run's own data. With `outside`, the dry run ends; the function returns a sentence, without
 * secrets, about what the method would have done.
 */
export type MethodBehaviour<Port, Called extends Method> =
  | 'as it is'
  | { readonly overlay: (dryRun: DryRun, port: Port, ...args: Parameters<Called>) => ReturnType<Called> }
  | { readonly outside: (...args: Parameters<Called>) => string };

/** Has an entry for every method of the port. A missing entry is a compile error. */
export type PortBehaviour<Port> = {
  readonly [Name in MethodsOf<Port>]: Port[Name] extends Method ? MethodBehaviour<Port, Port[Name]> : never;
};

type AnyWay = 'as it is' | { overlay: (...args: unknown[]) => unknown } | { outside: (...args: unknown[]) => string };
type AnyMethod = (...args: unknown[]) => unknown;

/**
 * The returned object has the port as its prototype, because a Proxy would make every call slower. If all methods are
 * `as it is`, returns the port itself.
 */
export function dryRunPort<Port extends object>(port: Port, ways: PortBehaviour<Port>): Port {
  const known = ways as Readonly<Record<string, AnyWay>>;
  if (Object.values(known).every((way) => way === 'as it is')) return port;
  const target = port as Record<string, unknown>;
  const before = Object.create(port) as Port;
  for (const name of namesOf(port)) {
    const way = Object.hasOwn(known, name) ? known[name] : undefined;
    const property: PropertyDescriptor =
      typeof target[name] === 'function'
        ? { value: methodOf(target, name, way ?? { outside: () => `calls ${name}` }), writable: true }
        : { get: () => target[name], set: (value: unknown) => Reflect.set(target, name, value) };
    Object.defineProperty(before, name, { ...property, configurable: true, enumerable: true });
  }
  return before;
}

function namesOf(port: object): ReadonlySet<string> {
  const names = new Set<string>();
  for (let one: object | null = port; one !== null && one !== Object.prototype; one = Object.getPrototypeOf(one)) {
    for (const name of Object.getOwnPropertyNames(one)) if (name !== 'constructor') names.add(name);
  }
  return names;
}

function methodOf(port: Record<string, unknown>, name: string, way: AnyWay): AnyMethod {
  const real: AnyMethod = (...args) => (port[name] as AnyMethod)(...args);
  if (way === 'as it is') return real;
  return (...args) => {
    const dryRun = currentDryRun();
    if (dryRun === undefined) return real(...args);
    if ('overlay' in way) return way.overlay(dryRun, port, ...args);
    // Rejects instead of throwing, because all methods with the behaviour `outside` return promises.
    return Promise.resolve().then(() => dryRun.stopBefore(way.outside(...args)));
  };
}
