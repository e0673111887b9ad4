// Engines: one process.
import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger, type LoggerService } from '@nestjs/common';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';
import { storedFiles } from '../../support/stores/stored-files.js';

const canary = () => `canary-${randomBytes(12).toString('hex')}`;
/** Positive control: this text is recorded, so the search below must find it. */
const described = canary();
const local = canary();
const email = `${local}@example.com`;
const passwords = { first: canary(), changed: canary(), reset: canary(), wrong: canary(), short: 'c4n4ry7' };
const fields = { name: canary(), own: canary() };
const tokens: string[] = [];

let app: TestApp;
let site: SiteVisitors;
const heard: string[] = [];
const hear = (...said: readonly unknown[]) => heard.push(inspect(said, { depth: 10 }));
const listener: LoggerService = { log: hear, error: hear, warn: hear, debug: hear, verbose: hear, fatal: hear };

const mailed = async (kind: string) => {
  const mail = await eventually(
    async () => {
      const { mails } = await done(app, 'site/listOutgoingMail', { projectId: site.projectId });
      return mails.find((one: { kind: string }) => one.kind === kind);
    },
    (one) => one !== undefined,
  );
  const token = new URL(mail.link).searchParams.get('token') ?? '';
  tokens.push(token);
  return token;
};
const logIn = async (password: string) => {
  const pass = await site.logIn(email, password);
  tokens.push(pass);
  return pass;
};

beforeAll(async () => {
  app = await startApp({ environment: { LOG_LEVEL: 'verbose' } });
  app.app.useLogger(listener);
  new Logger('Spec').verbose(described);
  site = await siteVisitors(app, { authRequireEmail: true, authCustomFields: [{ name: 'own', type: 'text' }] });
  await done(app, 'site/updateProject', { id: site.projectId, description: described });
  const { first: password } = passwords;
  const customFields = { own: fields.own };
  for (let n = 0; n < 2; n++) await site.post('auth/signup', { email, password, name: fields.name, customFields });
  await site.post('auth/verify-email', { token: await mailed('verify') });
  await site.post('auth/login', { email, password: passwords.wrong });
  const pass = await logIn(password);
  const changes = { password: passwords.changed, currentPassword: password, name: fields.name };
  await site.post('auth/profile', changes, pass);
  await site.post('auth/profile', { password: passwords.short, currentPassword: passwords.wrong }, pass);
  await site.post('auth/forgot-password', { email });
  const token = await mailed('reset');
  await site.post('auth/reset-password', { token, password: passwords.short });
  await site.post('auth/reset-password', { token, password: passwords.reset });
  await site.post('auth/logout', {}, await logIn(passwords.reset));
  await logIn(passwords.reset);
}, 60_000);
afterAll(() => app.close());

const secrets = () => [local, ...Object.values(passwords), ...Object.values(fields), ...tokens];
/** The text in plain, in base64 and in hex. */
const forms = (text: string) => [
  text,
  Buffer.from(text).toString('base64').slice(0, -3),
  Buffer.from(text).toString('hex'),
];
const within = (bytes: Buffer, text: string) => forms(text).some((form) => bytes.includes(form));

describe('emails, names, passwords, passes and tokens', () => {
  it('are in no file in the clear', () => {
    const contents = storedFiles(app.dataDir).map(({ bytes }) => bytes);
    expect(contents.some((bytes) => within(bytes, described))).toBe(true);
    for (const secret of secrets()) expect(contents.filter((bytes) => within(bytes, secret))).toEqual([]);
  });

  it('are in no line of the log', () => {
    const lines = Buffer.from(heard.join('\n'));
    expect(within(lines, described)).toBe(true);
    expect(secrets().filter((secret) => within(lines, secret))).toEqual([]);
  });

  it('that are secret are in no answer of the audit', async () => {
    const { events } = await done(app, 'audit/getHistory', { kind: 'project', id: site.projectId });
    const { users } = await done(app, 'site/getAppUsers', { projectId: site.projectId });
    const user = await done(app, 'audit/getHistory', { kind: 'appUser', id: users[0].id });
    const told = Buffer.from(JSON.stringify([events, user]));
    const hidden = [...Object.values(passwords), ...tokens];
    expect(hidden.filter((secret) => within(told, secret))).toEqual([]);
  });
});
