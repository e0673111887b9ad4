import { expect, it } from '@jest/globals';
import { ResolverDns } from '../../../src/adapters/dns/resolver/resolver-dns.adapter.js';
import { dnsServers } from '../../../src/config/settings/dns-settings.js';
import { DnsUnavailable } from '../../../src/ports/network/dns.port.js';
import { dnsContract } from './dns.contract.js';

const patienceMs = 300;

dnsContract('the resolver', (address) => new ResolverDns(dnsServers(address), patienceMs));
dnsContract('the resolver with a server that is named', (address) => {
  return new ResolverDns(dnsServers(address.replace('127.0.0.1', 'localhost')), patienceMs);
});

it('the resolver reports an outage if the server has no address', async () => {
  const dns = new ResolverDns(dnsServers('no-such-host.invalid:53'));
  await expect(dns.texts('_verify.shop.example')).rejects.toThrow(DnsUnavailable);
});
