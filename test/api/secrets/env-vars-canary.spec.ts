// Engines: one process, and several.
import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger, type LoggerService } from '@nestjs/common';
import { SecretValues } from '../../../src/areas/secrets/env-var/secret-values.api.js';
import { type Reply, startApp, type TestApp } from '../../support/app.js';
import { Fate } from '../../support/given/mortal-vault.js';
import { done } from '../../support/people.js';
import { storedFiles } from '../../support/stores/stored-files.js';

const canary = () => `canary-${randomBytes(12).toString('hex')}`;
/** Values that are stored, replaced, deleted, refused, and part of an invalid call. */
const values = {
  kept: canary(),
  replaced: canary(),
  deleted: canary(),
  refused: canary(),
  invalid: canary(),
  siteKept: canary(),
  siteReplaced: canary(),
  siteDeleted: canary(),
  siteRefused: canary(),
  siteWithProject: canary(),
};
/** Positive control: this text appears in events, read models and answers, so the search must find it. */
const described = canary();
const allowedHosts = ['api.example.com'];

let app: TestApp;
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

async function ofSites() {
  const { body: project } = await call('site/createProject', { name: 'Shop' });
  const { body: gone } = await call('site/createProject', { name: 'Gone' });
  const create = (name: string, value: unknown, more: object = {}) =>
    call(
      'site/createEnvVar',
      { projectId: project.id, name, value, ...more },
      { 'idempotency-key': `${name} ${value}` },
    );
  const { body: kept } = await create('KEPT', values.siteReplaced, { description: described });
  const twice = { 'idempotency-key': 'site, once' };
  for (let n = 0; n < 2; n += 1) await call('site/updateEnvVar', { id: kept.id, value: values.siteKept }, twice);
  await call('site/updateEnvVar', { id: kept.id, isSecret: false });
  await call('site/updateEnvVar', { id: kept.id, value: values.siteRefused, allowedHosts: ['https://x'] });
  await call('site/updateEnvVar', { id: 'env_none', value: values.siteRefused });
  await create('KEPT', values.siteRefused);
  await create('APP_X', values.siteRefused);
  await create('lower', values.siteRefused);
  await create('BAD', [values.siteRefused]);
  const { body: deleted } = await create('GONE', values.siteDeleted);
  await call('site/deleteEnvVar', { id: deleted.id });
  await call('site/createEnvVar', { projectId: gone.id, name: 'GONE', value: values.siteWithProject });
  await call('site/deleteProject', { id: gone.id });
  await call('site/listEnvVars', { projectId: project.id });
  await call('audit/getHistory', { kind: 'siteEnvVar', id: kept.id });
}

beforeAll(async () => {
  app = await startApp({ replacements: [fate.provider] });
  app.app.useLogger(listener);
  new Logger('Spec').verbose(described);
  const set = (name: string, value: unknown, more: object = {}) => ({ name, value, allowedHosts, ...more });
  await call('automations/setEnvVar', set('KEPT', values.replaced, { description: described }));
  await call('automations/setEnvVar', set('KEPT', values.kept, { overwrite: true }), { 'idempotency-key': 'once' });
  await call('automations/setEnvVar', set('KEPT', values.kept, { overwrite: true }), { 'idempotency-key': 'once' });
  await call('automations/setEnvVar', set('GONE', values.deleted));
  await call('automations/deleteEnvVar', { name: 'GONE' });
  await call('automations/setEnvVar', set('KEPT', values.refused));
  await call('automations/setEnvVar', set('KEPT', values.refused, { overwrite: true }), { 'idempotency-key': 'once' });
  await call('automations/setEnvVar', set('APP_X', values.refused));
  await call('automations/setEnvVar', set('lower', values.invalid));
  await call('automations/setEnvVar', set('BAD', [values.invalid]));
  await call('automations/setEnvVar', set('BAD', `${values.invalid}\ud800`));
  await call('automations/setEnvVar', set('BAD', values.invalid, { allowedHosts: ['https://x'] }));
  await call('automations/setEnvVar', set('BAD', values.invalid.repeat(400)));
  await ofSites();
  const malformed = { 'content-type': 'application/json', authorization: `Bearer ${app.ownerKey}` };
  for (const text of [`{"value":${values.invalid}}`, `${values.invalid}`, `{"value":"${values.invalid}`]) {
    answers.push(JSON.stringify((await app.send('POST', '/api/v1/automations/setEnvVar', text, malformed)).body));
  }
  for (const [at, when] of [
    ['seal', 'before'],
    ['destroy', 'before'],
  ] as const) {
    fate.death = { at, when, beginning: 'env-var/' };
    await call('automations/setEnvVar', set('KEPT', values.kept, { overwrite: true }));
    fate.revive();
  }
  const code = 'console.log(ctx); try { return await ctx.env.get("KEPT") } catch (error) { return error.message }';
  const fn = await done(app, 'automations/createFunction', { name: 'reader', code });
  await call('automations/invokeFunction', { id: fn.id });
  const { id } = await done(app, 'workspace/getWorkspace');
  const opened = await app.app.get(SecretValues, { strict: false }).open(id, ['KEPT']);
  expect(opened.get('KEPT')?.value).toBe(values.kept);
  await call('automations/listEnvVars', {});
  await call('audit/listEvents', {});
  await call('audit/getHistory', { kind: 'envVar', id: 'KEPT' });
  await call('audit/getHistory', { kind: 'envVar', id: 'GONE' });
});
afterAll(() => app.close());

/** The text in plain and in the encodings that it could appear in. */
const coats = (text: string): readonly Buffer[] => [
  Buffer.from(text),
  Buffer.from(text, 'utf16le'),
  Buffer.from(Buffer.from(text).toString('hex')),
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

describe('the value of a secret in any state', () => {
  it('is in no answer', () => {
    const all = Buffer.from(answers.join('\n'));
    expect(holds(all, described)).toBe(true);
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
    expect(all.toString()).toContain('The vault is unavailable');
    expect(namesOf(all)).toEqual([]);
  });

  it.each(['/metrics', '/readyz', '/healthz', '/api/openapi.json'])('is in nothing that %s returns', async (path) => {
    const { status, body } = await app.send('GET', path);
    expect(status).toBe(200);
    expect(namesOf(Buffer.from(JSON.stringify(body)))).toEqual([]);
  });
});
