import { currentTrial, type Trial } from './trial.js';

type Method = (...args: never[]) => unknown;
type MethodsOf<Port> = { [Name in keyof Port]-?: Port[Name] extends Method ? Name : never }[keyof Port];

/**
 * What a port's method does in a trial: `as it is` where it changes nothing outside of this process; in the trial's own
 * overlay; or not at all, because it is outside, and then in words what it would have done, without secrets.
 */
export type Way<Port, Called extends Method> =
  | 'as it is'
  | { readonly overlay: (trial: Trial, port: Port, ...args: Parameters<Called>) => ReturnType<Called> }
  | { readonly outside: (...args: Parameters<Called>) => string };

/** A way for every method: a method without one does not compile. */
export type Ways<Port> = {
  readonly [Name in MethodsOf<Port>]: Port[Name] extends Method ? Way<Port, Port[Name]> : never;
};

type AnyWay = 'as it is' | { overlay: (...args: unknown[]) => unknown } | { outside: (...args: unknown[]) => string };
type AnyMethod = (...args: unknown[]) => unknown;

/**
 * The port, whose methods go their ways in a trial and are what they were everywhere else. An object that stands before the
 * port, with methods of its own: calls are many, and a Proxy would cost each of them.
 */
export function triedPort<Port extends object>(port: Port, ways: Ways<Port>): Port {
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

/** Of its own and of its classes. */
function namesOf(port: object): ReadonlySet<string> {
  const names = new Set<string>();
  for (let one: object | null = port; one !== null && one !== Object.prototype; one = Object.getPrototypeOf(one)) {
    for (const name of Object.getOwnPropertyNames(one)) if (name !== 'constructor') names.add(name);
  }
  return names;
}

/** The port's method is looked up at each call, because tests put others in its place. */
function methodOf(port: Record<string, unknown>, name: string, way: AnyWay): AnyMethod {
  const real: AnyMethod = (...args) => (port[name] as AnyMethod)(...args);
  if (way === 'as it is') return real;
  return (...args) => {
    const trial = currentTrial();
    if (trial === undefined) return real(...args);
    if ('overlay' in way) return way.overlay(trial, port, ...args);
    // As a promise, because that is what the methods that reach outside answer.
    return Promise.resolve().then(() => trial.end(way.outside(...args)));
  };
}
