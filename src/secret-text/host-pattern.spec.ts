import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../test/support/depth.js';
import {
  checkHostPattern,
  hostMatches,
  hostsBeyond,
  isHostWithin,
  isNamedWithPort,
  isNoWiderThan,
} from './host-pattern.js';

const kept = (text: string) => {
  const checked = checkHostPattern(text);
  return checked.ok ? checked.pattern : `wrong: ${checked.wrong}`;
};

describe('checkHostPattern', () => {
  it.each([
    ['api.example.com', 'api.example.com'],
    ['*.example.com', '*.example.com'],
    ['*.api.example.com', '*.api.example.com'],
    ['API.Example.COM', 'api.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['*.BÜCHER.example', '*.xn--bcher-kva.example'],
    ['my_service.example.com', 'my_service.example.com'],
    ['localhost', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '[::1]'],
    ['[2001:DB8::1]', '[2001:db8::1]'],
    ['API.example.com:8443', 'api.example.com:8443'],
    ['*.example.com:8443', '*.example.com:8443'],
    ['[::1]:8443', '[::1]:8443'],
    ['api.example.com:443', 'api.example.com'],
    ['api.example.com:00443', 'api.example.com'],
  ])('normalises %s to %s', (text, pattern) => {
    expect(kept(text)).toBe(pattern);
  });

  it.each([
    ['an empty text', '', 'must not be empty'],
    ['a scheme', 'https://api.example.com', 'without a scheme'],
    ['a scheme without slashes', 'https:api.example.com', 'without a scheme'],
    ['slashes without a scheme', '//api.example.com', 'without a path'],
    ['a path', 'api.example.com/v1', 'without a path'],
    ['a backslash, which a URL takes for a slash', 'api.example.com\\v1', 'without a path'],
    ['a query', 'api.example.com?a=b', 'without a path'],
    ['a fragment', 'api.example.com#a', 'without a path'],
    ['a user', 'user@api.example.com', 'without a user'],
    ['the colon of a port alone', 'api.example.com:', 'a port from 1 to 65535'],
    ['a port that is none', 'api.example.com:0', 'a port from 1 to 65535'],
    ['a port beyond the last', 'api.example.com:65536', 'a port from 1 to 65535'],
    ['a port of six digits', 'api.example.com:000443', 'a port from 1 to 65535'],
    ['a word for a port', 'api.example.com:https', 'must be a bare host'],
    ['two ports', 'api.example.com:8443:8443', 'must be a bare host'],
    ['white space', ' api.example.com', 'must be a bare host'],
    ['a line break', 'api.example.com\n', 'must be a bare host'],
    ['percent-encoding', 'api%2eexample.com', 'must be a bare host'],
    ['an empty label', 'api..example.com', 'must be a bare host'],
    ['a label that begins with a hyphen', '-api.example.com', 'must be a bare host'],
    ['a label of more than 63 characters', `${'a'.repeat(64)}.example.com`, 'must be a bare host'],
    ['more than 253 characters', `${'a.'.repeat(126)}example.com`, 'at most 253'],
    ['more than 253 characters once it is ASCII', `${'ü.'.repeat(120)}com`, 'at most 253'],
    ['a dot at the end', 'api.example.com.', 'must not end with a dot'],
    ['another dot at the end that a URL takes for one', 'api.example.com。', 'must not end with a dot'],
    ['nothing but a wildcard', '*', 'only as its whole first label'],
    ['a wildcard inside', 'api.*.com', 'only as its whole first label'],
    ['two wildcards', '*.*.com', 'only as its whole first label'],
    ['a wildcard for a part of a label', 'api-*.example.com', 'only as its whole first label'],
    ['another star that a URL takes for one', '＊.example.com', 'only as its whole first label'],
    ['a wildcard below a top-level domain', '*.com', 'at least two labels after the wildcard'],
    ['a wildcard before an address', '*.127.0.0.1', 'wildcard before an address'],
    ['a short writing of an address', '127.1', 'must be written 127.0.0.1'],
    ['a hexadecimal writing of an address', '0x7f000001', 'must be written 127.0.0.1'],
    ['an address that is a number', '2130706433', 'must be written 127.0.0.1'],
    ['an address without its brackets', '::1', 'in brackets, as in [::1]'],
    ['a long writing of an address', '[0:0:0:0:0:0:0:1]', 'must be written [::1]'],
    ['an address that is none', '256.1.1.1', 'must be a bare host'],
  ])('refuses a host pattern with %s', (_, text, wrong) => {
    expect(kept(text)).toContain(`wrong: `);
    expect(kept(text)).toContain(wrong);
  });

  it('property: a normalised pattern does not change when it is checked again, and matches itself or a label below itself', () => {
    const labels = fc.stringMatching(/^[a-zA-Z0-9ü*._-]{1,12}$/);
    fc.assert(
      fc.property(fc.oneof(fc.domain(), labels, fc.webAuthority()), fc.boolean(), (host, wildcard) => {
        const checked = checkHostPattern(wildcard ? `*.${host}` : host);
        if (!checked.ok) return;
        expect(checkHostPattern(checked.pattern)).toEqual(checked);
        const example = checked.pattern.replace('*', 'any');
        const { host: shown, hostname, port } = new URL(`https://${example}/`);
        expect(shown).toBe(example);
        expect(hostMatches(checked.pattern, hostname)).toBe(true);
        const to = { host: hostname, port: Number(port || 443) };
        expect(isNamedWithPort(to, [checked.pattern])).toBe(true);
        expect(isNamedWithPort({ ...to, port: to.port + 1 }, [checked.pattern])).toBe(false);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('hostMatches', () => {
  it.each([
    ['api.example.com', 'api.example.com', true],
    ['api.example.com', 'API.EXAMPLE.COM', true],
    ['api.example.com', 'api.example.com.', false],
    ['api.example.com', 'evil-api.example.com', false],
    ['api.example.com', 'api.example.com.evil.test', false],
    ['example.com', 'api.example.com', false],
    ['*.example.com', 'api.example.com', true],
    ['*.example.com', 'example.com', false],
    ['*.example.com', '.example.com', false],
    ['*.example.com', 'a.b.example.com', false],
    ['*.example.com', 'evilexample.com', false],
    ['*.example.com', '*.example.com', false],
    ['127.0.0.1', '127.0.0.1', true],
    ['api.example.com', '', false],
  ])('%s and %s: %s', (pattern, host, matches) => {
    expect(hostMatches(pattern, host)).toBe(matches);
  });

  it.each([
    ['*', 'localhost'],
    ['*.com', 'example.com'],
    ['', ''],
    ['*.*.com', 'a.b.com'],
    ['*.0.0.1', '127.0.0.1'],
    ['https://api.example.com', 'api.example.com'],
  ])('lets an unchecked pattern match nothing: %s', (pattern, host) => {
    expect(hostMatches(pattern, host)).toBe(false);
  });
});

describe('isNoWiderThan', () => {
  const limit = ['api.example.com', '*.example.org'];

  it.each([
    ['the same host', ['api.example.com'], true],
    ['the same wildcard', ['*.example.org'], true],
    ['a host below a wildcard', ['a.example.org'], true],
    ['no host', [], true],
    ['the same host on another port', ['api.example.com:8443'], false],
    ['a host below a wildcard, on another port', ['a.example.org:8443'], false],
    ['another host', ['api.example.com', 'other.example.com'], false],
    ['a wildcard around a host', ['*.example.com'], false],
    ['a narrower wildcard, which reaches a label further', ['*.a.example.org'], false],
  ])('decides whether a pattern is wider: %s, %j', (_, hosts, within) => {
    expect(isNoWiderThan(hosts, limit)).toBe(within);
  });

  it('treats an empty limit as no host, and the word any as no limit', () => {
    expect(isNoWiderThan(['api.example.com'], [])).toBe(false);
    expect(isNoWiderThan(['api.example.com', '*.example.com'], 'any')).toBe(true);
  });

  it('compares ports as well', () => {
    const ported = ['api.example.com:8443', '*.example.org:9'];
    expect(isNoWiderThan(['api.example.com:8443', 'a.example.org:9'], ported)).toBe(true);
    expect(hostsBeyond(['api.example.com', 'a.example.org', 'a.example.org:8443'], ported)).toHaveLength(3);
  });

  it('names the hosts that reach beyond', () => {
    expect(hostsBeyond(['a.example.org', 'evil.test', '*.example.com'], limit)).toEqual(['evil.test', '*.example.com']);
  });

  it('property: a host that a list permits is permitted by every limit that the list is no wider than', () => {
    const host = fc.constantFrom('a.b', 'x.a.b', 'y.a.b', 'x.y.a.b', 'c.d', 'x.c.d');
    const pattern = fc.oneof(host, fc.constantFrom('*.a.b', '*.y.a.b', '*.c.d'));
    fc.assert(
      fc.property(
        fc.array(pattern, { maxLength: 3 }),
        fc.array(pattern, { maxLength: 3 }),
        host,
        (hosts, limits, one) => {
          if (isNoWiderThan(hosts, limits) && isHostWithin(one, hosts)) expect(isHostWithin(one, limits)).toBe(true);
        },
      ),
      { numRuns: runs(1_000) },
    );
  });
});
