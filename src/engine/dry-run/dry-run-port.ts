import { currentDryRun, type DryRun } from './dry-run.js';

type Method = (...args: never[]) => unknown;
type MethodsOf<Port> = { [Name in keyof Port]-?: Port[Name] extends Method ? Name : never }[keyof Port];

/**
 * What a port's method does in a dry run: `as it is` if it changes nothing outside this process; `overlay`: works on
 * the dry run's own data; `outside`: is not called, and the sentence describes what it would have done, without secrets.
 */
export type MethodBehaviour<Port, Called extends Method> =
  | 'as it is'
  | { readonly overlay: (dryRun: DryRun, port: Port, ...args: Parameters<Called>) => ReturnType<Called> }
  | { readonly outside: (...args: Parameters<Called>) => string };

/** An entry for every method: a missing one does not compile. */
export type PortBehaviour<Port> = {
  readonly [Name in MethodsOf<Port>]: Port[Name] extends Method ? MethodBehaviour<Port, Port[Name]> : never;
};

type AnyWay = 'as it is' | { overlay: (...args: unknown[]) => unknown } | { outside: (...args: unknown[]) => string };
type AnyMethod = (...args: unknown[]) => unknown;

/**
 * The port with its methods replaced in a dry run and unchanged elsewhere. It is an object whose prototype is the port
 * and not a Proxy, because calls are many and a Proxy would slow each down.
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
        ? { value: methodOf(target, name, way ?? { outside: () => `does ${name}` }), writable: true }
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

/** The real method is looked up at each call, because tests replace methods. */
function methodOf(port: Record<string, unknown>, name: string, way: AnyWay): AnyMethod {
  const real: AnyMethod = (...args) => (port[name] as AnyMethod)(...args);
  if (way === 'as it is') return real;
  return (...args) => {
    const dryRun = currentDryRun();
    if (dryRun === undefined) return real(...args);
    if ('overlay' in way) return way.overlay(dryRun, port, ...args);
    // As a promise, because that is what methods that reach outside return.
    return Promise.resolve().then(() => dryRun.end(way.outside(...args)));
  };
}
