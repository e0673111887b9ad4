import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let id: string;
let made = 0;
beforeAll(async () => {
  app = await sharedApp();
  await done(app, 'automations/setEnvVar', {
    name: 'STRIPE_KEY',
    value: 'sk_live_0123456789abcdef',
    allowedHosts: ['api.stripe.com', 'api.new.example'],
  });
});
afterAll(() => app.close());
beforeEach(async () => {
  id = (await done(app, 'automations/createFunction', { name: `Refund ${made++}`, code: 'return 1' })).id;
});

const get = () => done(app, 'automations/getFunction', { id });
const secrets = [{ name: 'STRIPE_KEY', hosts: ['api.stripe.com'] }];
const asking = async (operation: string, input: object, key?: string) => {
  const reply = await app.call(`automations/${operation}`, { id, ...input }, key);
  expect([reply.status, reply.body.detail]).toEqual([202, undefined]);
  return reply;
};
const askSecrets = (list: object[] = secrets) => asking('setFunctionSecrets', { secrets: list });
const askPowers = (...capabilities: string[]) => asking('setFunctionCapabilities', { capabilities });
const askFull = async () =>
  asking('setFunctionCapabilities', { capabilities: ['service'], seenVersion: (await get()).version });
const saveDraft = async (code: string) => {
  const { updatedAt: seenUpdatedAt } = await get();
  return (await done(app, 'automations/updateFunction', { id, code, seenUpdatedAt })).draft.versionId;
};
const publish = async (code: string) =>
  done(app, 'automations/publishFunction', { id, versionId: await saveDraft(code) });
const refusedAs = async ({ body }: { readonly body: { readonly pendingChange: { id: string; hash: string } } }) => {
  const { id: cardId, hash } = body.pendingChange;
  const reply = await app.call('approvals/approvePendingChange', { id: cardId, hash });
  expect([reply.status, reply.body.code]).toEqual([409, 'pending-change-moved']);
  return reply.body;
};

describe('two cards of one function', () => {
  it.each([
    ['a secret', 'a power', askSecrets, () => askPowers('email')],
    ['a power', 'a secret', () => askPowers('email'), askSecrets],
    ['a secret', 'Full data access', askSecrets, askFull],
    ['Full data access', 'a secret', askFull, askSecrets],
  ])('%s, approved, leaves %s open for approval', async (_, __, first, second) => {
    const [one, other] = [await first(), await second()];
    await approved(app, one);
    await approved(app, other);
    const { capabilities, secrets: held } = await get();
    expect([capabilities.length, held]).toEqual([1, secrets]);
  });

  it('a publication, with Full data access, and a power do not affect each other', async () => {
    await approved(app, await askFull());
    const publication = await asking('publishFunction', { versionId: await saveDraft('return 2') });
    const power = await askPowers('service', 'email');
    await approved(app, power);
    await approved(app, publication);
    expect(await get()).toMatchObject({ capabilities: ['service', 'email'], code: 'return 2' });
  });

  it('access rules and a power do not affect each other', async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: `Shop ${made++}` });
    const fn = await done(app, 'site/createBackendFunction', { projectId, name: 'pay', code: 'return 1' });
    const functionId = fn.functionId ?? fn.id;
    const naming = { projectId, functionId };
    const setPowers = (input: object) => app.call('site/setFunctionCapabilities', { ...naming, ...input });
    const { version: seenVersion } = await done(app, 'site/getBackendFunction', naming);
    await approved(app, await setPowers({ capabilities: ['service'], seenVersion }));
    const rules = await app.call('site/setBackendFunctionAccessRules', {
      functionId,
      accessRules: { execute: { type: 'authenticated' } },
    });
    const power = await setPowers({ capabilities: ['service', 'email'] });
    await approved(app, power);
    await approved(app, rules);
    const now = await done(app, 'site/getBackendFunction', naming);
    expect(now.capabilities).toEqual(['service', 'email']);
    expect(now.accessRules.execute).toEqual({ type: 'authenticated' });
  });
});

describe('a card that is void', () => {
  it('of Full data access is voided by a new version, and names the version, its author and the time', async () => {
    const card = await askFull();
    await publish('return 2');
    const { detail, details } = await refusedAs(card);
    const reason = details.reason;
    expect(reason).toMatch(
      /^'Refund \d+' changed after this card was made \(published version 2, by Owner on \d{4}-\d\d-\d\d at \d\d:\d\d UTC\), so the card is void\.$/,
    );
    expect(detail).toBe(
      `${reason} Nothing was applied. Ask for it again: approvals/askAgain creates a new card for it.`,
    );
    const { id: cardId } = card.body.pendingChange;
    expect(await done(app, 'approvals/getPendingChange', { id: cardId })).toMatchObject({ status: 'failed', reason });
  });

  it('of a publication is voided by the removal of Full data access', async () => {
    await approved(app, await askFull());
    const publication = await asking('publishFunction', { versionId: await saveDraft('return 2') });
    await done(app, 'automations/setFunctionCapabilities', { id, remove: ['service'] });
    expect((await refusedAs(publication)).details.reason).toMatch(/function powers taken/);
    expect((await get()).code).toBe('return 1');
  });

  it('of a power is voided if an Undo restored something', async () => {
    await approved(app, await askPowers('env'));
    const { undo } = await done(app, 'automations/setFunctionCapabilities', { id, remove: ['env'] });
    const card = await askPowers('email');
    await done(app, 'approvals/undoNotice', { id: undo.id });
    expect((await refusedAs(card)).details).toMatchObject({
      reason: expect.stringContaining('function undone'),
      standing: { capabilities: ['env'] },
    });
  });

  it('is never that of a power because of a publication in between', async () => {
    const card = await askPowers('email');
    await publish('return 2');
    await approved(app, card);
    expect((await get()).capabilities).toEqual(['email']);
  });
});
