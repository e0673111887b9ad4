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
  /** Returns the package and version of an archive's address, such as `tea 1.0.0`. */
  titleOf(address: string): string | undefined;
  /** Called with an error message. Nothing has been sent to the redirect's target. */
  refused(why: string): never;
}

/**
 * From this call on, the process connects only to public addresses, to EGRESS_ALLOW and to the registries in the
 * settings, so that no registry can redirect into the operator's network. A host name is looked up once, and the
 * connection uses the addresses that were checked. Requests through a proxy are checked only if their host is an
 * address, because the proxy resolves names.
 * @param allow the list EGRESS_ALLOW
 */
export function guardRedirects(settings: Settings, allow: readonly string[], { titleOf, refused }: Redirected): void {
  const named = hostsOf(settings);
  const guard = new AddressGuard(allow, (host) => promises.lookup(host, { all: true }));
  /** The last requested package of each host and port. */
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
  // The look-up is set in `connect`, because the agents of npm's client override a look-up that is set on the request.
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

/** If `socket` is set, it is an existing connection to a proxy, and no TCP connection is opened. */
type Connecting = TcpNetConnectOpts & { readonly socket?: Socket };

/** Includes hosts for which the settings have credentials or certificates, such as a store of archives. */
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
 * npm's client sends the package in a header: `registry:tea` for a package's description, `remote:<address>` for an
 * archive.
 */
function packageOf({ headers }: RequestOptions, titleOf: Redirected['titleOf']): string {
  const [id] = [Object(headers)['pacote-pkg-id']].flat();
  const [, kind, what = ''] = /^([a-z]+):(.*)$/.exec(String(id)) ?? [];
  return (kind === 'registry' ? what : titleOf(what)) ?? 'a package';
}
