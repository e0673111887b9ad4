import type { Aborting } from './aborting.js';
import type { Describe } from './describe.js';
import type { GuestCalls, GuestLimits, Host, Timers } from './host.js';
import type { WebGlobals, WebParts } from './web-globals.js';

export interface GuestParts extends WebParts {
  readonly hardenGlobals: () => void;
  readonly makeDescribe: (maxLength: number) => Describe;
  readonly makeCalls: (host: Host, limits: GuestLimits) => GuestCalls;
  readonly makeFetch: (
    member: (...args: readonly unknown[]) => unknown,
    follow: Aborting['follow'],
  ) => (url: unknown, init?: unknown) => unknown;
  readonly makeReadAll: (
    page: (...args: readonly unknown[]) => unknown,
  ) => (table: unknown, options?: unknown) => unknown;
  readonly makeSecretRef: (seal: string) => (name: unknown, options?: unknown) => object;
  readonly makeTimers: (host: Host, limits: GuestLimits, fail: (thrown: unknown) => void) => Timers;
  readonly offerWebGlobals: (
    host: Host,
    limits: GuestLimits,
    parts: WebParts,
    timers: Timers,
    fail: (thrown: unknown) => void,
  ) => WebGlobals;
}

export type GuestProgram = (params: unknown, ctx: unknown) => Promise<unknown>;

export interface Resume {
  (kind: 'program', program: GuestProgram): void;
  (kind: 'answer', id: number, ok: boolean, text: string): void;
  (kind: 'timer', id: number): void;
}

/**
 * Evaluated inside the isolate from its source text, so the body must not use anything from outside. The function first
 * stores references to everything that it needs later, because guest code may replace any global. The author's text
 * must not be evaluated before that. Even evaluating it as a function that is never called could run code, if the text
 * closes the function early.
 */
export function startGuest(
  parts: GuestParts,
  limits: GuestLimits,
  host: Host,
  paramsText: string,
  contextText: string,
  namesText: string,
  captureLogs: boolean,
): Resume {
  const { apply, defineProperty } = Reflect;
  const { parse, stringify } = JSON;
  const { freeze } = Object;
  const { then } = Promise.prototype;
  const BaseError = Error;

  parts.hardenGlobals();
  const describe = parts.makeDescribe(limits.logLine);
  const fail = (thrown: unknown): void => {
    host('settle', 'threw', describe.thrown(thrown));
  };
  const calls = parts.makeCalls(host, limits);
  const timers = parts.makeTimers(host, limits, fail);
  const { follow } = parts.offerWebGlobals(host, limits, parts, timers, fail);

  let logging = captureLogs;
  const writer =
    (level: string) =>
    (...values: readonly unknown[]): void => {
      if (logging && host('log', level, describe.values(values)) === false) logging = false;
    };
  const log = writer('info');
  const debug = writer('debug');
  const console = { log, info: log, debug, trace: debug, warn: writer('warn'), error: writer('error') };
  defineProperty(globalThis, 'console', { value: console, writable: true, enumerable: false, configurable: true });

  function freezeAll(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    freeze(value);
    for (const inner of Object.values(value)) freezeAll(inner);
  }

  function memberOf(name: string, siteId?: string): unknown {
    const member = calls.member(name, siteId);
    if (name === 'fetch') return freeze(parts.makeFetch(member, follow));
    return freeze(name.endsWith('tables.readAll') ? parts.makeReadAll(member) : member);
  }

  function put(under: object, name: string, value: unknown): void {
    const path = name.split('.');
    const last = path.pop() as string;
    let at = under as Record<string, unknown>;
    for (const part of path) {
      if (typeof at[part] !== 'object' || at[part] === null) at[part] = {};
      at = at[part] as Record<string, unknown>;
    }
    at[last] = value;
  }

  function makeCtx(): unknown {
    const ctx = parse(contextText) as Record<string, unknown>;
    ctx['log'] = freeze(log);
    const names = parse(namesText) as readonly string[];
    const ofSites = names.filter((name) => name.startsWith('sites.'));
    for (const name of names) if (!ofSites.includes(name)) put(ctx, name, memberOf(name));
    const sites = (ctx['sites'] ?? {}) as Record<string, unknown>;
    for (const key of Object.keys(sites)) {
      const known = sites[key] as string | null | readonly string[];
      if (typeof known === 'object' && known !== null) {
        const which = () => {
          throw new BaseError(`Several sites are called '${key}': name one by its id, ${known.join(' or ')}.`);
        };
        defineProperty(sites, key, { get: which, enumerable: false });
        continue;
      }
      const site = {};
      for (const name of ofSites) put(site, name.slice('sites.'.length), memberOf(name, known ?? key));
      freezeAll(site);
      defineProperty(sites, key, { value: site, enumerable: known !== null });
    }
    const secrets = ctx['secrets'] as Record<string, unknown> | undefined;
    if (secrets && typeof secrets['seal'] === 'string') {
      secrets['ref'] = freeze(parts.makeSecretRef(secrets['seal']));
      delete secrets['seal'];
    }
    const counter = (ctx['limits'] as Record<string, object> | undefined)?.['databaseCalls'];
    if (counter) defineProperty(counter, 'used', { get: calls.used, enumerable: true });
    freezeAll(ctx);
    return ctx;
  }

  function finish(value: unknown): void {
    let text: string | undefined;
    try {
      text = stringify(value);
    } catch (error) {
      host('settle', 'unserialisable', describe.thrown(error));
      return;
    }
    if (typeof text !== 'string') host('settle', 'ok', 'null');
    else if (text.length > limits.result) host('settle', 'large');
    else host('settle', 'ok', text);
  }

  const params = parse(paramsText);
  const ctx = makeCtx();
  const settled = [finish, fail];
  function begin(program: GuestProgram): void {
    try {
      apply(then, program(params, ctx), settled);
    } catch (error) {
      fail(error);
    }
  }

  return (kind: string, first: GuestProgram | number, ok?: boolean, text?: string) => {
    if (kind === 'program') begin(first as GuestProgram);
    else if (kind === 'answer') calls.answered(first as number, ok === true, text as string);
    else timers.fire(first as number);
  };
}
