import { AbstractCursor, Admin, Collection, type Db, MongoNetworkTimeoutError } from 'mongodb';

/**
 * The database, whose commands end after this time at the latest. The driver has limits of its own and keeps them, with one
 * exception: a command that is given to a connection in the moment in which that is closing waits for ever, and nothing of
 * the driver ends it. This happens when a server goes away under load.
 */
export function bounded(database: Db, mostMs: number): Db {
  return boundedObject(database, mostMs);
}

function boundedObject<T extends object>(inner: T, mostMs: number): T {
  return new Proxy(inner, {
    get(_, name) {
      const member: unknown = Reflect.get(inner, name, inner);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => boundedResult(member.apply(inner, args), mostMs);
    },
  });
}

function boundedResult(result: unknown, mostMs: number): unknown {
  if (result instanceof Promise) return within(result, mostMs);
  const isSource = [AbstractCursor, Collection, Admin].some((kind) => result instanceof kind);
  return isSource || isIterator(result) ? boundedObject(result as object, mostMs) : result;
}

/** Of a cursor that is iterated over: each step has the time of a command. */
const isIterator = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result && 'next' in result;

/** @throws MongoNetworkTimeoutError when it has not ended in that time */
export async function within<T>(work: Promise<T>, mostMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new MongoNetworkTimeoutError('No answer came in time.')), mostMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
