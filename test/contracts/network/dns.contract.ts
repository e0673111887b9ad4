import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Dns, DnsUnavailable } from '../../../src/ports/network/dns.port.js';
import { type DnsServer, startDnsServer } from '../../support/servers/dns-server.js';

/**
 * The promises of every `Dns` adapter.
 * @param open - creates an adapter that asks the server at this address
 */
export function dnsContract(name: string, open: (address: string) => Dns): void {
  describe(`${name} as DNS`, () => {
    let server: DnsServer;
    let dns: Dns;
    beforeAll(async () => {
      server = await startDnsServer();
      dns = open(server.address);
    });
    afterAll(() => server.close());

    it('answers all TXT records of a name, each joined from its parts', async () => {
      const long = 'long '.repeat(120);
      server.says('_verify.shop.example', { texts: ['one', '', long] });
      expect([...(await dns.texts('_verify.shop.example'))].sort()).toEqual(['', long, 'one']);
    });

    it.each(['no such name', 'no such record'] as const)('answers nothing if there is %s', async (answer) => {
      server.says('_verify.empty.example', answer);
      expect(await dns.texts('_verify.empty.example')).toEqual([]);
    });

    it.each([
      ['too long', `_verify.${'a.'.repeat(126)}com`],
      ['of a label that is too long', `${'a'.repeat(64)}.example`],
    ])('answers nothing for a name that is %s', async (_, wrong) => {
      expect(await dns.texts(wrong)).toEqual([]);
    });

    it.each(['server failure', 'refused'] as const)('reports an outage if there is %s', async (answer) => {
      server.says('_verify.away.example', answer);
      await expect(dns.texts('_verify.away.example')).rejects.toThrow(DnsUnavailable);
    });

    it('reports an outage if the server is silent', async () => {
      server.says('_verify.silent.example', 'silence');
      await expect(dns.texts('_verify.silent.example')).rejects.toThrow(DnsUnavailable);
    }, 60_000);

    it('asks again every time', async () => {
      server.says('_verify.moved.example', { texts: ['before'] });
      expect(await dns.texts('_verify.moved.example')).toEqual(['before']);
      server.says('_verify.moved.example', { texts: ['after'] });
      expect(await dns.texts('_verify.moved.example')).toEqual(['after']);
    });
  });
}
