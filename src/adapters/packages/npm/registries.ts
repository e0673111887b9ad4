import http, { type ClientRequest, type RequestOptions } from 'node:http';
import https from 'node:https';
import getAuth from 'npm-registry-fetch/lib/auth.js';
import type { NpmSettings } from './npm-settings.js';

type Options = NpmSettings['options'];

const npmjs = 'https://registry.npmjs.org/';

export function registryOf(name: string, options: Options): URL {
  const scope = name.startsWith('@') ? name.slice(0, name.indexOf('/')) : undefined;
  const url = new URL(String((scope && options[`${scope}:registry`]) ?? options['registry'] ?? npmjs));
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

/**
 * Returns the archive's address at the package's registry. If a mirror returns an address at its original registry,
 * this is changed to one at the mirror, as npm does. Returns undefined if the archive is not from the package's
 * registry.
 */
export function archiveAddress(name: string, resolved: unknown, options: Options): string | undefined {
  if (typeof resolved !== 'string' || !URL.canParse(resolved)) return undefined;
  const registry = registryOf(name, options);
  const url = new URL(resolved);
  const setting = options['replaceRegistryHost'] ?? 'npmjs';
  const replaced = setting === 'npmjs' ? new URL(npmjs).hostname : setting;
  if (url.origin !== registry.origin && (replaced === 'always' || replaced === url.hostname)) {
    const path = url.pathname.startsWith(registry.pathname) ? url.pathname : registry.pathname + url.pathname.slice(1);
    return new URL(path, registry).href;
  }
  return url.origin === registry.origin ? url.href : undefined;
}

/**
 * From this call on, a request has a credential only if it goes to a registry and the settings have that credential for
 * the request's address. Otherwise npm's client would send the credential even after a redirect to another port or from
 * https to http.
 */
export function confineCredentials(options: Options): void {
  const registries = Object.entries(options).filter(([name]) => name === 'registry' || /^@.*:registry$/.test(name));
  const origins = new Set(
    [npmjs, ...registries.map(([, address]) => String(address))].map((one) => new URL(one).origin),
  );
  for (const module of [http, https]) {
    const send = module.request;
    const guarded = (request: RequestOptions): ClientRequest => {
      const { protocol, hostname, port, path, headers } = request;
      const origin = new URL(`${protocol}//${hostname}${port ? `:${port}` : ''}`).origin;
      const address = new URL(path ?? '/', origin).href;
      return send({
        ...request,
        headers: allowed(headers, origins.has(origin) ? expected(address, options) : undefined),
      });
    };
    Object.assign(module, { request: guarded });
  }
}

function expected(address: string, options: Options): string | undefined {
  const { token, auth } = getAuth(address, options);
  if (token) return `Bearer ${token}`;
  return auth ? `Basic ${auth}` : undefined;
}

function allowed(
  headers: RequestOptions['headers'],
  authorization: string | undefined,
): NonNullable<RequestOptions['headers']> {
  const confined = Object.entries(headers ?? {}).filter(
    ([name, value]) => name.toLowerCase() !== 'authorization' || String(value) === authorization,
  );
  return Object.fromEntries(confined);
}
