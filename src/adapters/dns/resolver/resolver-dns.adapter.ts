import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Dns, type DnsServer, DnsUnavailable } from '../../../ports/network/dns.port.js';

/** A server's answer when a name has no such record, and the resolver's error for an invalid name. */
const nothingThere = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME']);

/** Uses Node's resolver. */
export class ResolverDns extends Dns {
  /** @param servers empty: the system's */
  constructor(private readonly servers: readonly DnsServer[]) {
    super();
  }

  override async texts(name: string): Promise<readonly string[]> {
    const resolver = await this.resolver();
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
    } catch (error) {
      if (nothingThere.has(codeOf(error))) return [];
      throw unavailable(error);
    }
  }

  /** A new one for each query, because servers named by host may have moved. */
  private async resolver(): Promise<Resolver> {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 });
    try {
      if (this.servers.length > 0) resolver.setServers(await Promise.all(this.servers.map(addressOf)));
      return resolver;
    } catch (error) {
      throw unavailable(error);
    }
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown');

const unavailable = (cause: unknown) =>
  new DnsUnavailable(`The DNS server did not answer: ${codeOf(cause)}.`, { cause });

async function addressOf({ host, port }: DnsServer): Promise<string> {
  const address = isIP(host) ? host : (await lookup(host)).address;
  return isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
}
