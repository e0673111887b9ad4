import { expect, test } from '@jest/globals';
import { wrongEmail, wrongName } from './plain-text.js';

test.each(['Ada', 'Zoë 👩‍💻', 'محمد', 'x'.repeat(200), '🙂'.repeat(200)])('%j is a valid name', (name) => {
  expect(wrongName(name)).toBeUndefined();
});

test.each([
  '',
  '  ',
  'Ada\r\nBcc: eve@example.com',
  'a\tb',
  'a\u0000',
  'a\u2028b',
  '\u202eadA',
  '\ud800',
  'x'.repeat(201),
  7,
  null,
  undefined,
])('%j is no valid name', (name) => {
  expect(wrongName(name)).toMatch(/^(must|is required)/);
});

test.each(['ada@example.com', 'owner@localhost', "o'neil+x@sub.example.co.uk"])('%j is an email address', (email) => {
  expect(wrongEmail(email)).toBeUndefined();
});

test.each([
  '',
  'ada',
  'ada@',
  '@example.com',
  'a@b@c',
  'ada@example.com\n',
  'ada@exa mple.com',
  'ada@example..com',
  'ada@-example.com',
  'Ada <ada@example.com>',
  `${'a'.repeat(65)}@example.com`,
  `a@${'b.'.repeat(200)}com`,
  undefined,
  null,
])('%j is no email address', (email) => {
  expect(wrongEmail(email)).toMatch(/^(must|is required)/);
});
