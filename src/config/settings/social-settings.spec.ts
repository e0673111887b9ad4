import { describe, expect, it } from '@jest/globals';
import { readSocialProviders } from './social-settings.js';

const one = { name: 'google', issuer: 'https://accounts.google.com', clientId: 'id', clientSecret: 'a-secret' };
const read = (...list: readonly unknown[]) => readSocialProviders({ SOCIAL_PROVIDERS: JSON.stringify(list) });

describe('SOCIAL_PROVIDERS', () => {
  it('is empty by default', () => {
    expect([readSocialProviders({}), readSocialProviders({ SOCIAL_PROVIDERS: '' }), read()]).toEqual([[], [], []]);
  });

  it('names providers, those on this machine over http too', () => {
    const local = { ...one, name: 'own-1', issuer: 'http://127.0.0.1:8080/realms/a' };
    expect(read(one, local)).toEqual([{ ...one, issuer: 'https://accounts.google.com/' }, local]);
  });

  it.each([
    ['a secret that is no JSON'],
    [JSON.stringify({ ...one })],
    ...[
      [one, one],
      ['a-secret'],
      [null],
      [{ ...one, more: 'a-secret' }],
      [{ ...one, name: 'Google' }],
      [{ ...one, name: 'a/b' }],
      [{ ...one, name: 'exchange' }],
      [{ ...one, issuer: 'http://accounts.google.com' }],
      [{ ...one, issuer: 'https://a:a-secret@accounts.google.com' }],
      [{ ...one, issuer: 'a-secret' }],
      [{ ...one, clientId: '' }],
      [{ ...one, clientSecret: undefined }],
      [{ ...one, clientSecret: 'a-secret\n' }],
      Array.from({ length: 21 }, (_, at) => ({ ...one, name: `p${at}` })),
    ].map((list) => [JSON.stringify(list)]),
  ])('%s is refused in an error that does not show it', (SOCIAL_PROVIDERS) => {
    expect(() => readSocialProviders({ SOCIAL_PROVIDERS })).toThrow(
      /^SOCIAL_PROVIDERS (?:has|must) |^SOCIAL_PROVIDERS entry /,
    );
    expect(() => readSocialProviders({ SOCIAL_PROVIDERS })).not.toThrow(/a-secret/);
  });
});
