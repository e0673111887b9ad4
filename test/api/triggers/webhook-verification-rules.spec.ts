import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { storedFiles } from '../../support/stores/stored-files.js';
import { vaultEntries } from '../../support/stores/vault-entries.js';

let app: TestApp;
let functionId = '';
beforeAll(async () => {
  app = await sharedApp();
  ({ id: functionId } = await done(app, 'automations/createFunction', { name: 'ruled', code: 'return 1' }));
  await done(app, 'automations/updateFunction', { id: functionId, isActive: true });
});
afterAll(() => app.close());

const hooked = async (): Promise<{ id: string; token: string }> =>
  done(app, 'automations/createWebhook', { functionId });
const set = (body: object, key?: string) => app.call('automations/setWebhookVerification', body, key);
const secret = 'a secret of the sender';

describe('setWebhookVerification refuses', () => {
  const hmac = { scheme: 'hmac', header: 'X-Sig' };
  const long = `whsec_${Buffer.alloc(65).toString('base64')}`;
  const short = `whsec_${Buffer.alloc(23).toString('base64')}`;
  it.each([
    ['no scheme', {}, 'scheme'],
    ['a scheme that there is not', { scheme: 'rot13' }, 'scheme'],
    ['what it does not know', { scheme: 'github', colour: 'red' }, 'colour'],
    ['an empty secret', { scheme: 'github', secret: '' }, 'secret'],
    ['a secret of 7 characters', { scheme: 'github', secret: '1234567' }, 'secret'],
    ['a secret of more than 1,000', { scheme: 'github', secret: 'x'.repeat(1_001) }, 'secret'],
    ['half a character', { scheme: 'github', secret: `12345678\ud800` }, 'secret'],
    ['a standard secret that is no base64', { scheme: 'standard-webhooks', secret: 'whsec_%%%' }, 'secret'],
    ['a standard secret of 23 bytes', { scheme: 'standard-webhooks', secret: short }, 'secret'],
    ['a standard secret of 65 bytes', { scheme: 'standard-webhooks', secret: long }, 'secret'],
    ['a new secret beside one that is given', { scheme: 'github', secret, newSecret: true }, 'newSecret'],
    ['an end in the past', { scheme: 'github', secret, previousUntil: '2020-01-01T00:00:00Z' }, 'previousUntil'],
    ['an end that is no time', { scheme: 'github', secret, previousUntil: 'soon' }, 'previousUntil'],
    ['an end of what is taken out', { scheme: 'github', removePrevious: true, previousUntil: null }, 'previousUntil'],
    ['an end of no previous secret', { scheme: 'github', secret, previousUntil: null }, 'previousUntil'],
    ['29 seconds', { scheme: 'stripe', secret, toleranceSeconds: 29 }, 'toleranceSeconds'],
    ['3,601 seconds', { scheme: 'stripe', secret, toleranceSeconds: 3_601 }, 'toleranceSeconds'],
    ['seconds where GitHub signs no time', { scheme: 'github', toleranceSeconds: 300 }, 'toleranceSeconds'],
    ['seconds where hmac signs no time', { ...hmac, toleranceSeconds: 300 }, 'toleranceSeconds'],
    ['hmac without a header', { scheme: 'hmac' }, 'header'],
    ['a header that is no name', { scheme: 'hmac', header: 'X Sig' }, 'header'],
    ['another algorithm', { ...hmac, algorithm: 'md5' }, 'algorithm'],
    ['another encoding', { ...hmac, encoding: 'utf8' }, 'encoding'],
    ['a prefix with a space', { ...hmac, prefix: 'a b' }, 'prefix'],
    ['a prefix with a comma', { ...hmac, prefix: 'a,b' }, 'prefix'],
    ['a time that is not signed', { ...hmac, timestampHeader: 'X-At', signed: 'body' }, 'signed'],
    ['a signed time without a header', { ...hmac, signed: 'timestamp.body' }, 'timestampHeader'],
    ['a header for GitHub', { scheme: 'github', header: 'X-Sig' }, 'header'],
    ['an algorithm for Stripe', { scheme: 'stripe', algorithm: 'sha256' }, 'algorithm'],
    ['a secret for none', { scheme: null, secret }, 'secret'],
  ])('refuses a verification with %s', async (_, body, path) => {
    const { id } = await hooked();
    const { status, body: no } = await set({ id, ...body });
    expect([status, no.code, no.errors?.map((one: { path: string }) => one.path)]).toEqual([
      400,
      'invalid-input',
      [path],
    ]);
    expect(JSON.stringify(no)).not.toContain(secret);
    const { webhooks } = await done(app, 'automations/listTriggers', { functionId });
    expect(webhooks.find((one: { id: string }) => one.id === id).verification).toBeNull();
  });

  it('an unknown webhook, or one of another workspace', async () => {
    const { id } = await hooked();
    const { ownerKey } = await otherWorkspace(app);
    for (const reply of [
      await set({ id: 'wh_none', scheme: 'github' }),
      await set({ id, scheme: 'github' }, ownerKey),
    ]) {
      expect([reply.status, reply.body.code]).toEqual([404, 'webhook-not-found']);
    }
  });
});

describe('the right to set it', () => {
  const keys = new Map<string, string>();
  beforeAll(async () => {
    keys.set('owner', app.ownerKey);
    for (const role of ['admin', 'editor', 'viewer'] as const) keys.set(role, (await person(app, role)).key);
    const agent = await done(app, 'workspace/addAgent', { name: 'Scout' });
    keys.set('agent', await keyOf(app, { kind: 'agent', agentId: agent.id }));
    for (const kind of ['connection', 'automation', 'flow'] as const) keys.set(kind, await keyOf(app, { kind }));
    keys.set('readOnly', await keyOf(app, { kind: 'person', readOnly: true }));
    keys.set('neverDeletes', await keyOf(app, { kind: 'person', neverDeletes: true }));
  });

  it.each([
    ['owner', undefined],
    ['admin', undefined],
    ['editor', undefined],
    ['neverDeletes', undefined],
    ['viewer', 'viewer-refused'],
    ['readOnly', 'read-only-key'],
    ['connection', 'caller-not-allowed'],
    ['agent', 'caller-not-allowed'],
    ['automation', 'caller-not-allowed'],
    ['flow', 'caller-not-allowed'],
  ])('of the caller: %s', async (who, code) => {
    const { id } = await hooked();
    const { status, body } = await set({ id, scheme: 'github' }, keys.get(who));
    expect([status, body.code]).toEqual(code === undefined ? [200, undefined] : [403, code]);
  });

  it.each([
    ['takes the verification away', { scheme: null }],
    ['takes the previous secret out', { scheme: 'github', removePrevious: true }],
    ['lets the previous secret end', { scheme: 'github', previousUntil: '2999-01-01T00:00:00Z' }],
    ['changes the scheme, and so drops the secrets', { scheme: 'stripe' }],
  ])('is refused to a key that never deletes for what %s', async (_, change) => {
    const { id } = await hooked();
    await set({ id, scheme: 'github', secret });
    await set({ id, scheme: 'github', newSecret: true }, keys.get('neverDeletes'));
    const { status, body } = await set({ id, ...change }, keys.get('neverDeletes'));
    expect([status, body.code]).toEqual([403, 'key-never-deletes']);
    expect((await set({ id, scheme: 'github' })).body.verification.secrets).toBe(2);
  });

  it("is never a function's, whatever its grants are", async () => {
    const tool = 'automations_setWebhookVerification';
    const grants = { serviceTools: [tool] };
    const { status, body } = await app.call('automations/createFunction', { name: 'sly', code: 'return 1', grants });
    expect([status, body.code]).toEqual([400, 'invalid-input']);
  });
});

describe('the secrets', () => {
  /** Positive control: this text is recorded in the clear, so the search must find it. */
  const control = `X-${randomBytes(8).toString('hex')}`;
  const given = () => `canary-${randomBytes(12).toString('hex')}`;
  const canaries = { first: given(), second: given(), third: given(), refused: given(), deleted: given() };
  const answers: string[] = [];
  let made = '';
  const asked = async (body: object) => {
    const reply = await set(body);
    answers.push(JSON.stringify(reply.body));
    return reply;
  };

  it('are in no answer, event, read model or log line, and not in the clear in the vault', async () => {
    const { id, token } = await hooked();
    const hmac = { id, scheme: 'hmac', header: control };
    await asked({ ...hmac, secret: canaries.first });
    await asked({ ...hmac, secret: canaries.second });
    await asked({ ...hmac, secret: canaries.refused });
    await asked({ ...hmac, secret: canaries.refused, signed: 'timestamp.body' });
    await asked({ ...hmac, secret: canaries.third, removePrevious: true });
    const gone = await hooked();
    await asked({ id: gone.id, scheme: 'github', secret: canaries.deleted });
    await done(app, 'automations/deleteWebhook', { id: gone.id });
    ({ secret: made } = (await set({ id: (await hooked()).id, scheme: 'github' })).body);
    const reply = await app.send('POST', `/api/automations/functions/webhook/${token}`, '{}', { [control]: 'x' });
    answers.push(JSON.stringify(reply.body));
    for (const [operation, body] of [
      ['automations/listTriggers', { functionId }],
      ['automations/listAllWebhooks', {}],
      ['audit/listEvents', { limit: 200 }],
      ['audit/getHistory', { kind: 'webhook', id }],
    ] as const) {
      answers.push(JSON.stringify(await done(app, operation, body)));
    }
    const all = answers.join('\n');
    expect(all).toContain(control);
    const secrets = [...Object.values(canaries), made];
    expect(secrets.filter((text) => all.includes(text))).toEqual([]);
    const contents = storedFiles(app.dataDir).map(({ bytes }) => bytes);
    if (!process.env['TEST_ENGINES']) expect(contents.some((content) => content.includes(control))).toBe(true);
    expect(secrets.filter((text) => contents.some((content) => content.includes(text)))).toEqual([]);
  });

  it('are destroyed when nothing refers to them, and with a webhook or a function', async () => {
    if (process.env['TEST_ENGINES']) return;
    const fn = await done(app, 'automations/createFunction', { name: 'ending', code: 'return 1' });
    await done(app, 'automations/updateFunction', { id: fn.id, isActive: true });
    const before = vaultEntries(app, 'webhook-secret/').map(({ name }) => name);
    const left = () => vaultEntries(app, 'webhook-secret/').filter(({ name }) => !before.includes(name));
    const ofFunction = () => done(app, 'automations/createWebhook', { functionId: fn.id });
    const [one, other, third] = [await ofFunction(), await ofFunction(), await ofFunction()];
    for (const { id } of [one, other, third]) {
      await set({ id, scheme: 'github' });
      await set({ id, scheme: 'github', newSecret: true });
    }
    expect(left().map(({ expiresAt }) => expiresAt)).toEqual(Array(6).fill(null));
    const previousUntil = new Date(Date.now() + 3_600_000).toISOString();
    await set({ id: third.id, scheme: 'github', previousUntil });
    expect(left().filter(({ expiresAt }) => expiresAt === Date.parse(previousUntil))).toHaveLength(1);
    await set({ id: one.id, scheme: null });
    expect(left()).toHaveLength(4);
    await done(app, 'automations/deleteWebhook', { id: other.id });
    expect(left()).toHaveLength(2);
    await done(app, 'automations/deleteFunction', { id: fn.id });
    await eventually(
      async () => left(),
      (entries) => entries.length === 0,
    );
  });
});
