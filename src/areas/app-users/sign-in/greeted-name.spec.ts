import { describe, expect, it } from '@jest/globals';
import { greetedName } from './greeted-name.api.js';

const greeted = (name: string, emailVerifiedAt: string | null = null) =>
  greetedName({ name, email: 'ada.l@example.com', emailVerifiedAt });

describe('the name in a mail', () => {
  it.each(['Ada', 'Ada Lovelace', "J. R. O'Neil-Ñandú", 'Dr. Ada', '愛'])('%s is used as the user gave it', (name) => {
    expect(greeted(name)).toBe(name);
  });

  it.each([
    'Your account is locked, see https://evil.example',
    'www.evil.example',
    'evil.example',
    'evil.例え',
    'pay@evil.example',
    'a\\b',
    'x'.repeat(61),
  ])('%s is replaced by the address while that is not verified', (name) => {
    expect([greeted(name), greeted(name, '2030-01-01T00:00:00.000Z')]).toEqual(['ada.l', name]);
  });
});
