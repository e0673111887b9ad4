import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { userEmail } from './user-email.js';

describe("the normal form of a user's email", () => {
  it.each([
    ['Ada@Example.COM', 'ada@example.com'],
    ['\tada@example.com\n', 'ada@example.com'],
    ['a.b+c@example.com', 'a.b+c@example.com'],
    ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
    ['ada@localhost', 'ada@localhost'],
    ["o'hara@example.com", "o'hara@example.com"],
  ])('of the email %j is %s', (text, email) => {
    expect(userEmail(text)).toBe(email);
  });

  it.each([
    '',
    'ada',
    '@example.com',
    'ada@',
    'a b@example.com',
    '"ada"@example.com',
    'ada@[127.0.0.1]',
    'ada@127.0.0.1',
  ])('does not exist for %j', (text) => {
    expect(userEmail(text)).toBeUndefined();
  });

  it('does not change when it is normalised again', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (text) => {
        const email = userEmail(text);
        if (email !== undefined) expect([userEmail(email), userEmail(text.toUpperCase())]).toEqual([email, email]);
      }),
    );
  });
});
