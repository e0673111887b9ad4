import { describe, expect, it } from '@jest/globals';
import { readPlatformMailSettings } from './platform-mail-settings.js';

const read = (PLATFORM_MAIL_URL?: string, PLATFORM_MAIL_FROM = 'no-reply@example.com') =>
  readPlatformMailSettings({ PLATFORM_MAIL_URL, PLATFORM_MAIL_FROM });

describe('PLATFORM_MAIL_URL and PLATFORM_MAIL_FROM', () => {
  it.each([undefined, ''])('%j: there is no sender', (url) => {
    expect(read(url)).toBeUndefined();
  });

  it.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, secure: false, username: '', password: '' }],
    ['smtps://Mail.Example.com/', { host: 'mail.example.com', port: 465, secure: true, username: '', password: '' }],
    ['smtp://a%40b:c%3Ad@[::1]:25', { host: '::1', port: 25, secure: false, username: 'a@b', password: 'c:d' }],
  ])('%s names a server', (url, server) => {
    expect(read(url, 'Example <No-Reply@Example.com>')).toEqual({
      ...server,
      from: { address: 'No-Reply@example.com', name: 'Example' },
    });
  });

  it.each([
    'mail.example.com',
    'http://a:secret@mail.example.com',
    'smtp://',
    'smtp://a:secret@mail.example.com/path',
    'smtp://a:secret@mail.example.com?x=1',
    'smtp://a:%zzsecret@mail.example.com',
    'smtp://a:secret@mail.example.com:99999',
  ])('%s is refused in an error that does not show it', (url) => {
    expect(() => read(url)).toThrow(/^PLATFORM_MAIL_URL (?:has|must) [^\n]+\.$/);
    expect(() => read(url)).not.toThrow(/secret/);
  });

  it.each(['', 'nobody', 'a@example.com, b@example.com', 'A\r\nBcc: b@example.com <a@example.com>'])(
    'a sender %j is refused',
    (from) => {
      expect(() => read('smtp://mail.example.com', from)).toThrow(/^PLATFORM_MAIL_FROM must be the sender/);
    },
  );
});
