import { describe, expect, it } from '@jest/globals';
import { canonicalHost, hostOf } from './host-name.js';

describe('a host', () => {
  it.each([
    ['Example.COM', 'example.com'],
    ['example.com.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['ｅxample.com', 'example.com'],
    ['ex%61mple.com', 'example.com'],
    ['127.1', '127.0.0.1'],
    ['0x7f000001', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['1', '0.0.0.1'],
    ['::1', '::1'],
    ['0:0:0:0:0:FFFF:127.0.0.1', '::ffff:7f00:1'],
    ['localhost', 'localhost'],
  ])('%s is normalised to %s', (text, host) => {
    expect(canonicalHost(text)).toBe(host);
    expect(hostOf(new URL(`https://${text.includes(':') ? `[${text}]` : text}/path`))).toBe(host);
  });

  it.each([
    ...[
      '',
      ' ',
      'a b',
      'a\tb',
      'a:1',
      'a/b',
      'a?b',
      'a#b',
      'a\\b',
      'a@b',
      '[::1]',
      'fe80::1%1',
      'http://a',
      '256.1.1.1',
    ],
    `${'a.'.repeat(127)}b`,
  ])('is not %j', (text) => {
    expect(canonicalHost(text)).toBeUndefined();
  });

  it('may be 253 characters long', () => {
    expect(canonicalHost(`${'a.'.repeat(126)}b.`)).toHaveLength(253);
  });
});
