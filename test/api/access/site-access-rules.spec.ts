import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let projectId: string;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app?.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Ruled' })).id;
});

const signedIn = { type: 'authenticated' };
const everybody = { type: 'public', scope: 'everywhere' };
const ask = (operation: string, body: object = {}, key?: string) =>
  done(app, `site/${operation}`, { projectId, ...body }, key);
const refused = async (operation: string, body: object = {}, key?: string) => {
  const { status, body: answer } = await app.call(`site/${operation}`, { projectId, ...body }, key);
  return [status, answer.code, answer.detail];
};
const saved = async (what: string) => (await ask(`get${what}AccessRules`)).accessRules;

const places = [
  ['Email', 'send', {}],
  ['ServerProxy', 'execute', {}],
  ['Channel', 'subscribe', { pattern: 'chat:*' }],
] as const;
const rowRules = [
  { type: 'creator' },
  { type: 'field_match', field: 'owner', property: 'email' },
  { type: 'relationship', path: 'owner' },
  { type: 'email', field: 'mail' },
];

describe.each(places)('rules of %s', (what, operation, more) => {
  const set = (condition: unknown) => ({ ...more, accessRules: { [operation]: condition } });
  const conditionNow = async () => {
    const rules = await saved(what);
    return (Array.isArray(rules) ? rules[0].accessRules : rules)?.[operation];
  };

  it('are null while nothing is saved', async () => {
    expect(await ask(`get${what}AccessRules`)).toEqual({ accessRules: null });
  });

  it('are returned as they were saved, with the short names of levels', async () => {
    const condition = { any: [{ type: 'public', scope: 'Anyone on the internet' }, { not: signedIn }] };
    expect(await ask(`set${what}AccessRules`, set(condition))).toEqual({ success: true });
    expect(await conditionNow()).toEqual({ any: [{ type: 'public', scope: 'internet' }, { not: signedIn }] });
    await ask(`set${what}AccessRules`, set([]));
    expect(await conditionNow()).toEqual([]);
    await ask(`set${what}AccessRules`, { ...more, accessRules: {} });
    expect(await conditionNow()).toBeUndefined();
    expect(await saved(what)).not.toBeNull();
  });

  it.each(rowRules)('refuse %j, also in groups and behind policies', async (rule) => {
    const policy = await ask('createAccessPolicy', { name: `Rows ${rule.type}`, condition: { any: [signedIn, rule] } });
    for (const condition of [rule, [signedIn, rule], { not: { all: [rule] } }, { policy: policy.id }]) {
      const [status, code] = await refused(`set${what}AccessRules`, set(condition));
      expect([status, code]).toEqual([400, 'condition-invalid']);
    }
    expect(await saved(what)).toBeNull();
  });

  it('name the path of an error, and the policy that contains it', async () => {
    const [status, code, detail] = await refused(`set${what}AccessRules`, set({ any: [signedIn, { type: 'friend' }] }));
    expect([status, code]).toEqual([400, 'condition-invalid']);
    expect(detail).toContain(`accessRules.${operation}.any[1]`);
    expect((await refused(`set${what}AccessRules`, set({ policy: 'pol_gone' })))[1]).toBe('condition-invalid');
  });

  it.each([null, 'everybody', 7, true])('refuse %j', async (condition) => {
    expect((await refused(`set${what}AccessRules`, set(condition)))[0]).toBe(400);
  });

  it('refuse an unknown key', async () => {
    const rules = { ...more, accessRules: { [operation]: signedIn, runBy: { pages: true } } };
    expect((await refused(`set${what}AccessRules`, rules))[0]).toBe(400);
  });

  it('prevent an edit of a policy that would break them, naming it', async () => {
    const { id: policyId } = await ask('createAccessPolicy', { name: 'Members', condition: signedIn });
    await ask(`set${what}AccessRules`, set({ policy: policyId }));
    const reply = await app.call('site/updateAccessPolicy', { policyId, condition: { type: 'creator' } });
    expect([reply.status, reply.body.code]).toEqual([409, 'policy-breaks']);
  });

  it('can be changed with edit rights, and read by every member', async () => {
    const viewer = await person(app, 'viewer');
    expect((await refused(`set${what}AccessRules`, set(signedIn), viewer.key))[0]).toBe(403);
    expect(await ask(`get${what}AccessRules`, {}, viewer.key)).toEqual({ accessRules: null });
    const { ownerKey } = await otherWorkspace(app);
    expect((await refused(`set${what}AccessRules`, set(signedIn), ownerKey)).slice(0, 2)).toEqual([
      404,
      'site-not-found',
    ]);
    expect((await refused(`get${what}AccessRules`, {}, ownerKey))[0]).toBe(404);
  });
});

describe('setServerProxyAccessRules', () => {
  it('without accessRules clears them (Q-S64)', async () => {
    await ask('setServerProxyAccessRules', { accessRules: { execute: signedIn } });
    expect(await ask('setServerProxyAccessRules')).toEqual({ success: true });
    expect(await saved('ServerProxy')).toBeNull();
  });
});

describe('setChannelAccessRules', () => {
  const rules = { accessRules: { subscribe: signedIn } };

  it('is an upsert by pattern, and lists patterns in the order of matching (RT-02)', async () => {
    await ask('setChannelAccessRules', { pattern: 'chat:*', sortOrder: 5, description: 'Chats', ...rules });
    await ask('setChannelAccessRules', { pattern: 'news', ...rules });
    await ask('setChannelAccessRules', { pattern: 'inbox:{self}', sortOrder: -1, ...rules });
    await ask('setChannelAccessRules', {
      pattern: 'chat:*',
      accessRules: { subscribe: everybody, publish: signedIn },
    });
    expect(await saved('Channel')).toEqual([
      { pattern: 'inbox:{self}', ...rules, description: null, sortOrder: -1 },
      { pattern: 'news', ...rules, description: null, sortOrder: 0 },
      {
        pattern: 'chat:*',
        accessRules: { subscribe: everybody, publish: signedIn },
        description: 'Chats',
        sortOrder: 5,
      },
    ]);
  });

  it.each(['', 'a b', '*:x', 'inbox:{self}*', 'inbox:{user}', '{self}:{self}', 'x'.repeat(201), 7, null])(
    'refuses the pattern %j',
    async (pattern) => expect((await refused('setChannelAccessRules', { pattern, ...rules }))[0]).toBe(400),
  );

  it.each([1.5, '1', 1e9])('refuses the sortOrder %j', async (sortOrder) =>
    expect((await refused('setChannelAccessRules', { pattern: 'a', sortOrder, ...rules }))[0]).toBe(400),
  );

  it('accepts 200 patterns and no more, even at once', async () => {
    for (let n = 0; n < 195; n++) await ask('setChannelAccessRules', { pattern: `n${n}`, ...rules });
    const statuses = await Promise.all(
      Array.from(
        { length: 12 },
        async (_, n) =>
          (await app.call('site/setChannelAccessRules', { projectId, pattern: `x${n}`, ...rules })).status,
      ),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect((await refused('setChannelAccessRules', { pattern: 'more', ...rules })).slice(0, 2)).toEqual([
      409,
      'channel-rules-full',
    ]);
    await ask('setChannelAccessRules', { pattern: 'n0', accessRules: {} });
  });
});

describe('deleteChannelAccessRules', () => {
  it('restores the default for the channel', async () => {
    await ask('setChannelAccessRules', { pattern: 'chat:*', accessRules: {} });
    expect(await ask('deleteChannelAccessRules', { pattern: 'chat:*' })).toEqual({ success: true });
    expect(await saved('Channel')).toBeNull();
    expect((await refused('deleteChannelAccessRules', { pattern: 'chat:*' })).slice(0, 2)).toEqual([
      404,
      'channel-rules-not-found',
    ]);
  });
});

describe('setRealtimeGuestAccess', () => {
  it('is recorded once', async () => {
    expect(await ask('setRealtimeGuestAccess', { enabled: true })).toEqual({ success: true });
    expect(await ask('setRealtimeGuestAccess', { enabled: true })).toEqual({ success: true });
    const { events } = await done(app, 'audit/getHistory', { kind: 'siteRules', id: projectId });
    expect(events.map(({ type }: { type: string }) => type).sort()).toEqual([
      'RealtimeGuestAccessSet',
      'SiteRulesBegun',
    ]);
  });

  it.each([undefined, null, 'yes'])('refuses guest access of %j', async (enabled) =>
    expect((await refused('setRealtimeGuestAccess', { enabled }))[0]).toBe(400),
  );
});

test('rules end with their project', async () => {
  await ask('setEmailAccessRules', { accessRules: { send: signedIn } });
  await done(app, 'site/deleteProject', { id: projectId });
  expect((await refused('getEmailAccessRules')).slice(0, 2)).toEqual([404, 'site-not-found']);
  const ended = await eventually(
    async () => (await done(app, 'audit/getHistory', { kind: 'siteRules', id: projectId })).events,
    (events) => events.some(({ type }: { type: string }) => type === 'SiteRulesEnded'),
  );
  expect(ended).toHaveLength(3);
});
