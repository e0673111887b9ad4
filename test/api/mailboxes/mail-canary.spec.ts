import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger, type LoggerService } from '@nestjs/common';
import { type Reply, startApp, type TestApp } from '../../support/app.js';
import { Fate } from '../../support/given/mortal-vault.js';
import { MailServerForTests, username } from '../../support/mail/mail-server.js';
import { allowingLoopback, Mailer, mailboxAt, mailOfTests, plain } from '../../support/mail/mailboxes.js';
import { storedFiles } from '../../support/stores/stored-files.js';

const canary = () => `canary-${randomBytes(12).toString('hex')}`;
/** Passwords that are stored, replaced, deleted, refused by the mail server, and part of an invalid call. */
const values = { kept: canary(), replaced: canary(), deleted: canary(), wrong: canary(), invalid: canary() };
/** Positive control: this text appears in events, read models and answers, so the search must find it. */
const described = canary();

let app: TestApp;
let server: MailServerForTests;
const heard: string[] = [];
const answers: string[] = [];
const fate = new Fate();
const hear = (...said: readonly unknown[]) => heard.push(inspect(said, { depth: 10 }));
const listener: LoggerService = { log: hear, error: hear, warn: hear, debug: hear, verbose: hear, fatal: hear };

async function call(operation: string, body: object, headers?: Record<string, string>): Promise<Reply> {
  const reply = await app.call(operation, body, undefined, headers);
  answers.push(JSON.stringify([reply.body, [...reply.headers]]));
  return reply;
}

const plainOf = (value: string) => Buffer.from(`\0${username}\0${value}`).toString('base64');

beforeAll(async () => {
  server = await MailServerForTests.start({ password: values.kept });
  app = await startApp({
    environment: { ...allowingLoopback, LOG_LEVEL: 'verbose' },
    replacements: [fate.provider, mailOfTests()],
  });
  app.app.useLogger(listener);
  new Logger('Spec').verbose(described);
  const box = (password: unknown, more: object = {}) => mailboxAt(server, { password, fromName: described, ...more });
  const { id } = (await call('automations/createMailAccount', box(values.replaced, { name: 'kept' }))).body;
  await call('automations/testMailAccount', { id });
  await call('automations/updateMailAccount', { id, password: values.kept }, { 'idempotency-key': 'once' });
  await call('automations/updateMailAccount', { id, password: values.kept }, { 'idempotency-key': 'once' });
  await call('automations/testMailAccount', { id, to: 'ada@example.org' });
  const wrong = (await call('automations/createMailAccount', box(values.wrong, { name: 'wrong' }))).body;
  await call('automations/testMailAccount', { id: wrong.id });
  await call('automations/createMailAccount', box(values.wrong, { name: 'wrong' }));
  const gone = (await call('automations/createMailAccount', box(values.deleted))).body;
  await call('automations/deleteMailAccount', { id: gone.id });
  for (const bad of [[values.invalid], `${values.invalid}\0`, `${values.invalid}\ud800`, values.invalid.repeat(40)])
    await call('automations/createMailAccount', box(bad));
  await call('automations/createMailAccount', box(values.invalid, { host: 'http://x' }));
  for (const [at, when] of [
    ['seal', 'before'],
    ['destroy', 'before'],
  ] as const) {
    fate.death = { at, when, beginning: 'mail-password/' };
    await call('automations/updateMailAccount', { id, password: values.kept });
    fate.revive();
  }
  const mailer = await Mailer.of(app);
  const send = async (via: string) => answers.push(JSON.stringify(await mailer.send(plain(), via)));
  // The server repeats the password that it got, in every encoding and at every step.
  for (const said of [values.kept, Buffer.from(values.kept).toString('base64'), plainOf(values.kept)]) {
    for (const at of ['atLogin', 'atSender', 'atMail'] as const) {
      server[at] = `554 5.7.1 ${said}`;
      await send('kept');
      await call('automations/testMailAccount', { id, to: 'ada@example.org' });
      server.willing();
    }
    server.atRecipient = () => `550 5.1.1 ${said}`;
    await send('kept');
    server.willing();
  }
  await send('wrong');
  await call('automations/listMailAccounts', {});
  await call('audit/listEvents', {});
  await call('audit/getHistory', { kind: 'mailAccount', id });
  const runs = await call('automations/listRuns', { functionId: mailer.functionId });
  await call('automations/getRunLog', { runId: runs.body[0].id });
}, 120_000);
afterAll(async () => {
  await app.close();
  await server.close();
});

/** The text in plain and in the encodings that it could appear in. */
const coats = (text: string): readonly Buffer[] => [
  Buffer.from(text),
  Buffer.from(text, 'utf16le'),
  Buffer.from(Buffer.from(text).toString('hex')),
  Buffer.from(plainOf(text)),
  // Base64 encodes groups of three bytes, so the text can be encoded at three offsets.
  ...[0, 1, 2].map((at) =>
    Buffer.from(
      Buffer.from(text)
        .subarray(at, at + 27)
        .toString('base64'),
    ),
  ),
];

const holds = (where: Buffer, text: string) => coats(text).some((coat) => where.includes(coat));
const namesOf = (where: Buffer) =>
  Object.entries(values).flatMap(([what, value]) => (holds(where, value) ? [what] : []));

describe('the password of a mailbox in any state', () => {
  it('is sent to the mail server', () => {
    expect(server.passwords).toEqual(expect.arrayContaining([values.kept, values.replaced, values.wrong]));
    expect(server.received.length).toBeGreaterThan(0);
  });

  it('is in no answer, and in nothing that code gets', () => {
    const all = Buffer.from(answers.join('\n'));
    expect(holds(all, described)).toBe(true);
    expect(all.toString()).toContain("The server's message: ***");
    expect(namesOf(all)).toEqual([]);
  });

  it('is in no file of the data directory, in the clear or in any encoding', () => {
    const files = storedFiles(app.dataDir);
    expect(files.filter(({ path }) => /(events|vault)\.db/.test(path)).length).toBeGreaterThanOrEqual(2);
    expect(files.some(({ bytes }) => holds(bytes, described))).toBe(true);
    expect(files.flatMap(({ path, bytes }) => namesOf(bytes).map((what) => `${what} in ${path}`))).toEqual([]);
  });

  it('is in no line of the log', () => {
    const all = Buffer.from(heard.join(''));
    expect(holds(all, described)).toBe(true);
    expect(namesOf(all)).toEqual([]);
  });

  it('is in no mail', () => {
    expect(server.received.flatMap(({ raw }) => namesOf(Buffer.from(raw)))).toEqual([]);
  });

  it.each(['/metrics', '/readyz', '/healthz', '/api/openapi.json'])('is in nothing that %s returns', async (path) => {
    const { status, body } = await app.send('GET', path);
    expect(status).toBe(200);
    expect(namesOf(Buffer.from(JSON.stringify(body)))).toEqual([]);
  });
});
