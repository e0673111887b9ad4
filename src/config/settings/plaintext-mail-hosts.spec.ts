import { describe, expect, it } from '@jest/globals';
import { plaintextMailHosts } from './plaintext-mail-hosts.js';

describe('SMTP_PLAINTEXT_ALLOW', () => {
  it('is a list of hosts and addresses, in normal form', () => {
    expect(plaintextMailHosts(' MailCatcher , 10.1.2.3,::1')).toEqual(['mailcatcher', '10.1.2.3', '::1']);
  });

  it.each([undefined, ''])('is empty when it is %j', (text) => {
    expect(plaintextMailHosts(text)).toEqual([]);
  });

  it.each(['*.example.com', '10.0.0.0/8', 'host:25', 'smtp://host', 'a,,b', '*'])('refuses %j by name', (text) => {
    expect(() => plaintextMailHosts(text)).toThrow(/^SMTP_PLAINTEXT_ALLOW must be a list of hosts and addresses/);
  });
});
