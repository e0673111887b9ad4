import { describe, expect, test } from '@jest/globals';
import { checkDomain } from './domain-name.js';

const own = ['localhost', 'sites.example.net', 'api.example.org'];
const of253 = `${'a'.repeat(59)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}.com`;

describe('a custom domain', () => {
  test.each([
    ['Shop.Example.COM', 'shop.example.com'],
    ['shop.example.com.', 'shop.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER。example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['example.net', 'example.net'],
    ['notlocalhost.example', 'notlocalhost.example'],
    [of253, of253],
    [`${of253}.`, of253],
  ])('%s is stored as %s', (text, domain) => {
    expect(checkDomain(text, own)).toEqual({ ok: true, domain });
  });

  test.each([
    ['a label alone', 'shop'],
    ['nothing', ''],
    ['a dot', '.'],
    ['two dots at the end', 'shop.example.com..'],
    ['an empty label', 'shop..example.com'],
    ['a scheme', 'https://shop.example.com'],
    ['a port', 'shop.example.com:443'],
    ['a path', 'shop.example.com/'],
    ['a user', 'me@shop.example.com'],
    ['a wildcard', '*.example.com'],
    ['an underscore', '_verify.example.com'],
    ['a hyphen at an end', 'shop-.example.com'],
    ['a label of 64 characters', `${'a'.repeat(64)}.example.com`],
    ['254 characters', `x${of253}`],
    ['an escape', 'sh%6fp.example.com'],
    ['a space', 'shop .example.com'],
    ['an IPv4 address', '192.0.2.1'],
    ['an IPv4 address in another notation', '0xc0000201'],
    ['a short IPv4 address', '192.513'],
    ['an IPv6 address', '2001:db8::1'],
    ['the domain of sites', 'sites.example.net'],
    ['a name under the domain of sites', 'shop.Sites.example.net.'],
    ["the service's own host", 'api.example.org'],
    ['a name under localhost', 'shop.localhost'],
  ])('refuses %s as a custom domain', (_, text) => {
    expect(checkDomain(text, own)).toEqual({ ok: false, wrong: expect.stringMatching(/^must be a/) });
  });
});
