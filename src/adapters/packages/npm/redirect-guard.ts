import { type LookupAddress, promises } from 'node:dns';
import http, { type ClientRequest, type RequestOptions } from 'node:http';
import https from 'node:https';
import net, { isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net';
import tls from 'node:tls';
import { hostOf } from '../../../kernel/text/host-name.js';
import { EgressRefused } from '../../../ports/network/egress.port.js';
import { AddressGuard } from '../../egress/http/address-guard.js';
import { parseAddress } from '../../egress/http/address-ranges.js';
import type { NpmSettings } from './npm-settings.js';

type Settings = Pick<NpmSettings, 'options' | 'proxies'>;

interface Redirected {
  /** Returns the package of an archive's address, such as `tea 1.0.0`. */
  titleOf(address: string): string | undefined;
  /** Called with a sentence about a refused redirect. Nothing was sent to the redirect's target. */
  refused(why: string): never;
}

/**
 * From this call on, the process connects only to the registries in the settings, wherever they are, and to addresses
 * that customers' requests may reach, so a registry cannot redirect into this network. A host name is looked up once,
 * for the check and the connection. A proxy in the settings resolves names itself, so requests through it are checked
 * only if their host is an address. @param allow the list EGRESS_ALLOW
 */
export function guardRedirects(settings: Settings, allow: readonly string[], { titleOf, refused }: Redirected): void {
  const named = hostsOf(settings);
  const guard = new AddressGuard(allow, (host) => promises.lookup(host, { all: true }));
  /** For each host and port, the package last requested there. */
  const requested = new Map<string, string>();
  const refuse = (hostAndPort: string, error: unknown) => {
    if (error instanceof EgressRefused)
      refused(`the registry redirects ${requested.get(hostAndPort)}. ${error.message}`);
  };

  const judged = (request: RequestOptions) => {
    const url = new URL(`${request.protocol}//${request.hostname}${request.port ? `:${request.port}` : ''}`);
    const hostAndPort = hostAndPortOf(url);
    if (named.has(hostAndPort)) return;
    requested.set(hostAndPort, packageOf(request, titleOf));
    const literal = parseAddress(hostOf(url) ?? '');
    try {
      if (literal !== undefined) guard.admitted(String(literal), [literal]);
    } catch (error) {
      refuse(hostAndPort, error);
      throw error;
    }
  };
  for (const module of [http, https]) {
    const send = module.request;
    const request = (options: RequestOptions): ClientRequest => {
      judged(options);
      return send(options);
    };
    Object.assign(module, { request });
  }

  const lookupFor =
    (hostAndPort: string): LookupFunction =>
    (host, { all }, answer) => {
      guard.addressesOf(host).then(
        ({ addresses }) => {
          const found: LookupAddress[] = addresses.map((address) => ({ address, family: isIP(address) }));
          if (all) answer(null, found);
          else answer(null, found[0]?.address ?? '', found[0]?.family);
        },
        (error: NodeJS.ErrnoException) => {
          refuse(hostAndPort, error);
          answer(error, '');
        },
      );
    };
  // The look-up is set on the connection, because the agents of npm's client override a request's own look-up.
  for (const module of [net, tls]) {
    const connect = module.connect as (options: Connecting, ...others: unknown[]) => Socket;
    const guarded = (options: Connecting, ...others: unknown[]) => {
      const hostAndPort = `${options.host}:${options.port}`;
      const isKnown = options.socket !== undefined || named.has(hostAndPort);
      return connect(isKnown ? options : { ...options, lookup: lookupFor(hostAndPort) }, ...others);
    };
    Object.assign(module, { connect: guarded });
  }
}

/** `socket` is set if the connection reuses a socket to a proxy. Then no new TCP connection is made. */
type Connecting = TcpNetConnectOpts & { readonly socket?: Socket };

/**
 * Returns the hosts of registries, of proxies, and those with credentials or certificates in the settings, such as a
 * store of archives.
 */
function hostsOf({ options, proxies }: Settings): ReadonlySet<string> {
  const addresses = Object.entries({ ...proxies, ...options }).flatMap(([name, value]) => {
    const [, host] = /^\/\/([^/]+)\//.exec(name) ?? [];
    return host === undefined ? [String(value)] : [`http://${host}`, `https://${host}`];
  });
  return new Set(addresses.filter((one) => URL.canParse(one)).map((one) => hostAndPortOf(new URL(one))));
}

function hostAndPortOf(url: URL): string {
  return `${hostOf(url)}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
}

/**
 * Returns the package of a request. npm's client sends an id in a header: `registry:tea` for a description,
 * `remote:<address>` for an archive.
 */
function packageOf({ headers }: RequestOptions, titleOf: Redirected['titleOf']): string {
  const [id] = [Object(headers)['pacote-pkg-id']].flat();
  const [, kind, what = ''] = /^([a-z]+):(.*)$/.exec(String(id)) ?? [];
  return (kind === 'registry' ? what : titleOf(what)) ?? 'a package';
}
