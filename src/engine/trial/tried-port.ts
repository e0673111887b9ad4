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

/** The port, whose methods go their ways in a trial and are what they were everywhere else. */
export function triedPort<Port extends object>(port: Port, ways: Ways<Port>): Port {
  const known = ways as Readonly<Record<PropertyKey, AnyWay>>;
  if (Object.values(known).every((way) => way === 'as it is')) return port;
  const made = new Map<PropertyKey, { readonly of: unknown; readonly method: AnyMethod }>();
  return new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || name === 'constructor') return value;
      const before = made.get(name);
      if (before?.of === value) return before.method;
      const way = Object.hasOwn(known, name) ? known[name] : undefined;
      const method = methodOf(target, value as AnyMethod, way ?? { outside: () => `does ${String(name)}` });
      made.set(name, { of: value, method });
      return method;
    },
  });
}

function methodOf(port: object, real: AnyMethod, way: AnyWay): AnyMethod {
  if (way === 'as it is') return (...args) => real.apply(port, args);
  return (...args) => {
    const trial = currentTrial();
    if (trial === undefined) return real.apply(port, args);
    if ('overlay' in way) return way.overlay(trial, port, ...args);
    // As a promise, because that is what the methods that reach outside answer.
    return Promise.resolve().then(() => trial.end(way.outside(...args)));
  };
}
