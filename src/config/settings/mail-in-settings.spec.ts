import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { makeCertificate } from '../../../test/support/mail/certificate.js';
import { readEnvironment } from '../environment.js';

const certificate = makeCertificate();
afterAll(() => certificate.remove());
const read = (raw: Record<string, string>) => readEnvironment(raw).mailIn;

describe('the settings of incoming mail', () => {
  it('have these defaults', () => {
    expect(read({})).toEqual({
      host: '127.0.0.1',
      port: 2525,
      domain: 'mail.localhost',
      maxBytes: 25 * 1024 * 1024,
      clientRate: 600,
      hookRate: 300,
      tls: undefined,
    });
  });

  it('are used when set', () => {
    const tls = { SMTP_IN_TLS_CERT: certificate.cert, SMTP_IN_TLS_KEY: certificate.key };
    const said = {
      SMTP_IN_HOST: '::1',
      SMTP_IN_PORT: '0',
      SMTP_IN_MAX_MB: '1',
      MAILHOOK_DOMAIN: 'In.Example.COM',
      ...tls,
    };
    const settings = read({ ...said, SMTP_IN_CLIENT_RATE: '7', SMTP_IN_HOOK_RATE: '8' });
    expect(settings).toMatchObject({ host: '::1', port: undefined, domain: 'in.example.com', maxBytes: 1024 * 1024 });
    expect(settings).toMatchObject({ clientRate: 7, hookRate: 8, tls: { cert: expect.any(Buffer) } });
  });

  const strange = `${certificate.cert}.other`;
  writeFileSync(strange, 'no certificate');
  it.each([
    ['SMTP_IN_PORT', { SMTP_IN_PORT: '70000' }],
    ['SMTP_IN_MAX_MB', { SMTP_IN_MAX_MB: '0' }],
    ['SMTP_IN_CLIENT_RATE', { SMTP_IN_CLIENT_RATE: 'many' }],
    ['SMTP_IN_HOOK_RATE', { SMTP_IN_HOOK_RATE: '0' }],
    ['MAILHOOK_DOMAIN', { MAILHOOK_DOMAIN: 'a@b' }],
    ['MAILHOOK_DOMAIN', { MAILHOOK_DOMAIN: '-a.example' }],
    ['SMTP_IN_TLS_KEY', { SMTP_IN_TLS_CERT: certificate.cert }],
    ['SMTP_IN_TLS_CERT', { SMTP_IN_TLS_KEY: certificate.key }],
    ['SMTP_IN_TLS_CERT', { SMTP_IN_TLS_CERT: '/nowhere', SMTP_IN_TLS_KEY: certificate.key }],
    ['SMTP_IN_TLS_CERT', { SMTP_IN_TLS_CERT: strange, SMTP_IN_TLS_KEY: certificate.key }],
    ['SMTP_IN_TLS_KEY', { SMTP_IN_TLS_CERT: certificate.cert, SMTP_IN_TLS_KEY: makeOther() }],
  ])('%s is named if it is wrong: %j', (name, raw) => {
    expect(() => read(raw)).toThrow(new RegExp(`${name}.* must [^\n]+\\.$`));
  });

  function makeOther(): string {
    const other = makeCertificate();
    afterAll(() => other.remove());
    return other.key;
  }
});
