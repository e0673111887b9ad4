import { AbstractCursor, Admin, Collection, type Db, MongoNetworkTimeoutError } from 'mongodb';

/**
 * Gives every command a time limit. The driver's own limits do not cover a command on a connection that is just
 * closing, so it would wait for ever. This happens when a server becomes unavailable under load.
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
  if (result instanceof Promise) return withinMs(result, mostMs);
  const isSource = [AbstractCursor, Collection, Admin].some((kind) => result instanceof kind);
  return isSource || isIterator(result) ? boundedObject(result as object, mostMs) : result;
}

/** Iterators of cursors are bounded too, so each step has the time limit of a command. */
const isIterator = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result && 'next' in result;

/** @throws MongoNetworkTimeoutError if the work has not settled in time */
export async function withinMs<T>(work: Promise<T>, mostMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new MongoNetworkTimeoutError('MongoDB did not answer in time.')), mostMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
