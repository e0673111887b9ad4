import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Dns, type DnsServer, DnsUnavailable } from '../../../ports/network/dns.port.js';

/** Errors that mean "no such record": two codes of the server, and the resolver's code for an invalid name. */
const nothingThere = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME']);

export class ResolverDns extends Dns {
  /**
   * @param servers an empty list means the system's servers
   * @param patienceMs time, in milliseconds, for which the first of two attempts waits for an answer
   */
  constructor(
    private readonly servers: readonly DnsServer[],
    private readonly patienceMs = 2_000,
  ) {
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

  /** A new resolver for each query, because the addresses of servers given as host names can have changed. */
  private async resolver(): Promise<Resolver> {
    const resolver = new Resolver({ timeout: this.patienceMs, tries: 2 });
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
