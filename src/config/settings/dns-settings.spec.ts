import { describe, expect, test } from '@jest/globals';
import { appDomain, dnsServers } from './dns-settings.js';

describe('DNS_SERVERS', () => {
  test.each([
    [undefined, []],
    ['', []],
    ['127.0.0.1:5353', [{ host: '127.0.0.1', port: 5353 }]],
    [
      '10.0.0.1, [::1]:5353 ,DNS',
      [
        { host: '10.0.0.1', port: 53 },
        { host: '::1', port: 5353 },
        { host: 'dns', port: 53 },
      ],
    ],
  ])('%j names servers', (text, servers) => {
    expect(dnsServers(text)).toEqual(servers);
  });

  test.each(['127.0.0.1:0', '127.0.0.1:65536', 'udp://127.0.0.1', '::1', 'a b', 'host:port'])(
    'DNS_SERVERS of %s is refused',
    (text) => {
      expect(() => dnsServers(text)).toThrow(/^DNS_SERVERS must be a list of servers as host:port/);
    },
  );
});

describe('APP_DOMAIN', () => {
  test.each([
    [undefined, 'localhost'],
    ['Sites.Example.com.', 'sites.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
  ])('%j is read as %s', (text, domain) => {
    expect(appDomain(text)).toBe(domain);
  });

  test.each(['https://example.com', 'example.com:3000', '127.0.0.1', '::1', 'exa mple'])('%s is none', (text) => {
    expect(() => appDomain(text)).toThrow(/^APP_DOMAIN must be a domain/);
  });
});
