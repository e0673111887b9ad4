import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { createMailbox, mailboxAt, password } from '../../support/mail/mailboxes.js';
import { done, person } from '../../support/people.js';
import { sharedOutside } from '../../support/shared-outside.js';
import { CampaignSite } from '../../support/sites/campaigns.js';

let app: TestApp;
let server: MailServerForTests;
let site: CampaignSite;
let editors: string;
let users: Readonly<Record<string, string>>;
beforeAll(async () => {
  server = await MailServerForTests.start({ password });
  app = await sharedOutside();
  await createMailbox(app, mailboxAt(server, { hourlyLimit: 10_000 }));
  site = await CampaignSite.of(app);
  const fields = [{ name: 'plan', type: 'text' }];
  await done(app, 'site/updateProjectAuth', { id: site.projectId, authCustomFields: fields });
  editors = (await site.done('createProjectRole', { name: 'editors' })).id;
  users = {
    ada: (await site.user('ada@example.org', { roleIds: [editors], customFields: { plan: 'pro' } })).id,
    bob: (await site.user('bob@example.com', { customFields: { plan: 'free' } })).id,
    eve: (await site.user('eve@example.com', { roleIds: [editors] })).id,
    max: (await site.user('max@sub.example.com')).id,
    ban: (await site.user('ban@example.org', { roleIds: [editors] })).id,
  };
  await site.done('updateAppUser', { userId: users['ban'], isBanned: true });
  await site.done('grantEntitlement', { appUserId: users['bob'], key: 'course' });
  await site.done('grantEntitlement', { appUserId: users['eve'], key: 'course' });
  await site.done('revokeEntitlement', { appUserId: users['eve'], key: 'course' });
});
afterAll(async () => {
  await app.close();
  await server.close();
});
beforeEach(() => {
  server.received.length = 0;
});

const role = () => ({ type: 'has_role', roleId: editors });
const course = { type: 'has_entitlement', key: 'course' };

/** Names of the recipients, after checking that the preview counts the same number. */
async function reached(audienceRules?: unknown): Promise<readonly string[]> {
  const rules = audienceRules === undefined ? {} : { audienceRules };
  const preview = await site.done('previewCampaignAudience', { id: await site.draft(rules) });
  await site.send(rules);
  const sent = server.received.map(({ to }) => to[0]?.split('@')[0] ?? '').toSorted();
  expect(preview).toMatchObject({ count: sent.length, suppressed: 0, partial: false });
  expect(preview.sample.map(({ name }: { name: string }) => name).toSorted()).toEqual(sent);
  return sent;
}

describe('an audience', () => {
  it('without rules is all users who are not banned', async () => {
    expect(await reached()).toEqual(['ada', 'bob', 'eve', 'max']);
  });

  it.each<readonly [string, () => unknown, readonly string[]]>([
    ['signed in', () => ({ type: 'authenticated' }), ['ada', 'bob', 'eve', 'max']],
    ['a role', role, ['ada', 'eve']],
    ['an entitlement that is held', () => course, ['bob']],
    ['one or the other, each once', () => [role(), course, role()], ['ada', 'bob', 'eve']],
    ['both', () => ({ all: [role(), { not: course }] }), ['ada', 'eve']],
    ['neither', () => ({ not: { any: [role(), course] } }), ['max']],
    ['a custom field', () => ({ type: 'user_property', property: 'plan', operator: 'eq', value: 'pro' }), ['ada']],
    ['an address', () => ({ type: 'email', value: 'Bob@example.com' }), ['bob']],
    ['a domain', () => ({ type: 'email', value: '@example.com' }), ['bob', 'eve']],
    ['a role of a domain', () => ({ all: [role(), { type: 'email', value: '@example.com' }] }), ['eve']],
    ['nobody', () => [], []],
  ])('is whom the rules admit at that moment: %s', async (_, rules, names) => {
    expect(await reached(rules())).toEqual(names);
  });

  it('of a policy follows its changes, and is empty once it is deleted (AC-23)', async () => {
    const { id: policy } = await site.done('createAccessPolicy', { name: 'Editors', condition: role() });
    const id = await site.draft({ audienceRules: { policy } });
    const count = async () => (await site.done('previewCampaignAudience', { id })).count;
    expect(await count()).toBe(2);
    await done(app, 'site/updateAccessPolicy', { policyId: policy, condition: course });
    expect(await count()).toBe(1);
    await done(app, 'site/deleteAccessPolicy', { policyId: policy });
    expect(await count()).toBe(0);
    await site.done('sendCampaign', { id });
    expect((await site.sent(id)).stats).toMatchObject({ recipients: 0 });
  });

  it.each([
    ['creator', { type: 'creator' }],
    ['field_match', { type: 'field_match', field: 'a', property: 'b' }],
    ['relationship', { type: 'relationship', path: 'a.b' }],
    ['email of a row', { type: 'email', field: 'a' }],
    ['function', { type: 'function', functionId: 'fn_1' }],
    ['public', { type: 'public', scope: 'everywhere' }],
  ])('refuses rules that are not about the user, also in groups and policies (AC-22): %s', async (_, rule) => {
    const words = { name: 'News', subject: 'News', html: '<p>Hello</p>' };
    const draft = await site.draft();
    for (const audienceRules of [rule, [rule], { all: [role(), { not: { any: [rule] } }] }]) {
      for (const [operation, body] of [
        ['createCampaign', words],
        ['updateCampaign', { id: draft }],
      ] as const) {
        const { status, body: answer } = await site.call(operation, { ...body, audienceRules });
        expect([operation, status, answer.code]).toEqual([operation, 400, 'condition-invalid']);
      }
    }
    expect((await site.shown(draft)) as unknown).toMatchObject({ audienceRules: null });
  });

  it('refuses an unsuitable change of its policy, naming the campaign (Q-S58)', async () => {
    const { id: policyId } = await site.done('createAccessPolicy', { name: 'Guarded', condition: role() });
    const id = await site.draft({ name: 'Spring sale', audienceRules: { all: [{ policy: policyId }] } });
    const { status, body } = await app.call('site/updateAccessPolicy', { policyId, condition: { type: 'creator' } });
    expect([status, body.code]).toEqual([409, 'policy-breaks']);
    expect(body.resource).toEqual({ kind: 'campaign', id, name: 'Spring sale', operation: 'send' });
    await site.done('deleteCampaign', { id });
    await done(app, 'site/updateAccessPolicy', { policyId, condition: { type: 'creator' } });
  });

  it('leaves out unverified addresses, if the site requires verification', async () => {
    const own = await CampaignSite.of(app);
    await own.user('ada@example.org');
    const auth = { id: own.projectId, authEnabled: true, authAllowSignup: true };
    await done(app, 'site/updateProjectAuth', { ...auth, authRequireEmail: false });
    const sent = JSON.stringify({ email: 'typed@example.org', password: 'long enough' });
    const headers = { 'content-type': 'application/json' };
    expect((await app.send('POST', `/api/app/${own.projectId}/auth/signup`, sent, headers)).status).toBe(200);
    const id = await own.draft();
    expect((await own.done('previewCampaignAudience', { id })).count).toBe(2);
    await done(app, 'site/updateProjectAuth', { ...auth, authRequireEmail: true });
    expect((await own.done('previewCampaignAudience', { id })).count).toBe(1);
  });

  it('can be previewed by those who may see users', async () => {
    const id = await site.draft();
    const { key } = await person(app, 'viewer');
    const body = { projectId: site.projectId, id };
    expect((await app.call('site/previewCampaignAudience', body, key)).status).toBe(403);
    expect((await app.call('site/listCampaignRecipients', body, key)).status).toBe(403);
  });
});
