import { describe, expect, it } from '@jest/globals';
import { readEnvironment } from '../environment.js';
import { egressAllow } from './egress-allow.js';

describe('EGRESS_ALLOW', () => {
  it.each([
    [undefined, []],
    ['', []],
    ['intranet.example.org', ['intranet.example.org']],
    [' Intranet.Example.org. , db ', ['intranet.example.org', 'db']],
    ['bücher.example', ['xn--bcher-kva.example']],
    ['10.1.2.3,0x0a.1', ['10.1.2.3', '10.0.0.1']],
    ['fd00::1,FD00:0::2', ['fd00::1', 'fd00::2']],
    ['10.0.0.0/8,fd00::/8,127.0.0.1/32,0.0.0.0/0', ['10.0.0.0/8', 'fd00::/8', '127.0.0.1/32', '0.0.0.0/0']],
  ])('EGRESS_ALLOW of %j permits %j', (text, allowed) => {
    expect(egressAllow(text)).toEqual(allowed);
    expect(readEnvironment({ EGRESS_ALLOW: text }).egressAllow).toEqual(allowed);
  });

  it.each([
    ...['*', '*.example.org', 'a.*', 'http://example.org', 'example.org:443', 'example.org/', 'a@b', 'a b', '[::1]'],
    ...['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/x', '10.0.0.0/-1', '10/8', '10.0.0/8', 'fd00::/129', 'example.org/8'],
    ...['10.0.0.0/8/8', '10.0.0.0/08888', '256.0.0.1', 'fe80::1%eth0', '/8', '?', '%'],
  ])('%j is refused in an error that names it', (entry) => {
    expect(() => readEnvironment({ EGRESS_ALLOW: `10.0.0.0/8, ${entry}` })).toThrow(
      `EGRESS_ALLOW must be a list of hosts, addresses and CIDRs, like intranet.example.org,10.1.2.3,10.0.0.0/8: ` +
        `'${entry}' is not one of these.`,
    );
  });

  it.each(['a,,b', 'a,', ','])('%j is refused: an entry is missing', (text) => {
    expect(() => egressAllow(text)).toThrow("'' is not one of these.");
  });
});
