import { HttpEgress, type HttpEgressOptions } from '../../../src/adapters/egress/http/http-egress.adapter.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import type { EgressRequest, EgressResponse } from '../../../src/ports/network/egress.port.js';
import { TestServer } from './test-server.js';

/** Returns a resolver for these names. All other names lead to loopback, and no DNS server is queried. */
export function resolverOf(names: Readonly<Record<string, readonly string[]>> = {}) {
  const asked: string[] = [];
  const resolve = async (host: string) => {
    asked.push(host);
    const found = names[host] ?? (host.endsWith('.test') ? ['127.0.0.1'] : undefined);
    if (found === undefined) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' });
    return found.map((address) => ({ address }));
  };
  return { asked, resolve };
}

/** An egress that treats 127.0.0.1 as a public address, and the servers of one test. */
export class EgressScene {
  private servers: TestServer[] = [];

  egress(options: Partial<HttpEgressOptions> = {}): HttpEgress {
    return new HttpEgress({ clock: new SystemClock(), allow: ['127.0.0.1'], ...resolverOf(), ...options });
  }

  async http(...about: Parameters<typeof TestServer.http>): Promise<TestServer> {
    return this.kept(await TestServer.http(...about));
  }

  async raw(...about: Parameters<typeof TestServer.raw>): Promise<TestServer> {
    return this.kept(await TestServer.raw(...about));
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.splice(0).map((server) => server.close()));
  }

  private kept(server: TestServer): TestServer {
    this.servers.push(server);
    return server;
  }
}

/** Returns a plain GET request with these changes. */
export function request(url: string, more: Partial<EgressRequest> = {}): EgressRequest {
  return { method: 'GET', url, headers: [], ...more };
}

export const textOf = ({ body }: EgressResponse): string => Buffer.from(body).toString();
