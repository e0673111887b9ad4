import { describe, expect, it } from '@jest/globals';
import { addressLabel, wrongSubdomain } from './site-address.js';
import { appLabel, longestLabel, previewLabel } from './site-labels.js';

describe('a subdomain', () => {
  it.each(['abc', 'my-shop', '3d', 'a'.repeat(63)].map((one) => one.padEnd(3, '0')))('may be %j', (value) => {
    expect(wrongSubdomain(value)).toBeUndefined();
  });

  it.each([
    ['ab', 'must have 3 to 63 characters'],
    ['a'.repeat(64), 'must have 3 to 63 characters'],
    ['Shop', 'must be lower-case letters, digits and hyphens, and begin and end with a letter or digit'],
    ['-shop', 'must be lower-case letters, digits and hyphens, and begin and end with a letter or digit'],
    ['shop-', 'must be lower-case letters, digits and hyphens, and begin and end with a letter or digit'],
    ['under_score', 'must be lower-case letters, digits and hyphens, and begin and end with a letter or digit'],
    ['my.shop', 'must be lower-case letters, digits and hyphens, and begin and end with a letter or digit'],
    ['my--shop', 'must not have two hyphens in a row'],
    ['xn--bcher-kva', 'must not have two hyphens in a row'],
    ['www', 'is reserved for the service'],
    ['countersign', 'is reserved for the service'],
  ])('is not %j', (value, message) => {
    expect(wrongSubdomain(value)).toBe(message);
  });

  it.each([
    ['Café Müller & Co.', 'cafe-muller-co'],
    ['Admin', 'site-admin'],
    ['A', 'site-a'],
    ['漢字', 'site'],
  ])('for the name %j is %j', (name, label) => {
    expect(addressLabel(name)).toBe(label);
    expect(wrongSubdomain(addressLabel(name))).toBeUndefined();
  });
});

describe('the host label of', () => {
  it('a preview has the id without characters that are invalid in host names', () => {
    expect(previewLabel('proj_abc')).toBe('preview--abc');
  });

  it('an app is its slug and the handle, or its id if they are too long', () => {
    expect(appLabel({ id: 'proj_abc', slug: 'crm' }, 'acme')).toBe('crm--acme');
    const handle = 'h'.repeat(longestLabel - 5);
    expect(appLabel({ id: 'proj_abc', slug: 'crm' }, handle)).toHaveLength(longestLabel);
    expect(appLabel({ id: 'proj_abc', slug: 'crm' }, `${handle}h`)).toBe('app--abc');
  });
});
