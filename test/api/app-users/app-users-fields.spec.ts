// Engines: one process.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SiteUsers } from '../../../src/areas/app-users/app-user/site-users.api.js';
import type { TestApp } from '../../support/app.js';
import { done, keyOf, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let projectId: string;
let workspaceId: string;
beforeAll(async () => {
  app = await sharedApp();
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
afterAll(() => app.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Users' })).id;
});
afterEach(() => done(app, 'site/deleteProject', { id: projectId }));

type User = Record<string, unknown> & { readonly id: string };
type Body = Readonly<Record<string, unknown>>;
const password = 'long enough';
const call = (operation: string, body: object, key?: string) => app.call(`site/${operation}`, body, key);
const sent = (body: Body = {}) => ({ projectId, email: 'ada@example.com', password, ...body });
const create = (body: Body = {}): Promise<User> => done(app, 'site/createAppUser', sent(body));
const update = (userId: string, body: Body): Promise<User> =>
  done(app, 'site/updateAppUser', { projectId, userId, ...body });
const list = (body: Body = {}): Promise<{ users: readonly User[]; total: number }> =>
  done(app, 'site/getAppUsers', { projectId, ...body });
const answer = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.code];
};
const wrongPaths = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.errors?.map(({ path }: { path: string }) => path)];
};
const users = () => app.app.get(SiteUsers, { strict: false });
const fieldsOf = async (...authCustomFields: readonly object[]): Promise<readonly { id: string; name: string }[]> => {
  const { authCustomFields: all } = await done(app, 'site/updateProjectAuth', { id: projectId, authCustomFields });
  return all;
};

describe('custom fields', () => {
  const all = [
    { name: 'line', type: 'text' },
    { name: 'essay', type: 'longText' },
    { name: 'ratio', type: 'number' },
    { name: 'count', type: 'integer' },
    { name: 'open', type: 'boolean' },
    { name: 'day', type: 'date' },
    { name: 'moment', type: 'dateTime' },
    { name: 'second', type: 'email' },
    { name: 'site', type: 'url' },
    { name: 'tel', type: 'phone' },
    { name: 'size', type: 'select', options: ['S', 'M'] },
    { name: 'tags', type: 'multiSelect', options: ['a', 'b'] },
  ];
  const good = {
    line: 'One line',
    essay: 'Two\nlines',
    ratio: 0.5,
    count: 7,
    open: false,
    day: '2028-02-29',
    moment: '2030-01-31T12:00:00+02:00',
    second: 'Second@Example.com',
    site: 'https://example.com/x',
    tel: '+49 30 123456',
    size: 'M',
    tags: ['b', 'a', 'b'],
  };

  it('are accepted by name and by id, and stored by id', async () => {
    const fields = await fieldsOf(...all);
    const byName = await create({ customFields: good });
    const idOf = new Map(fields.map(({ id, name }) => [name, id]));
    const stored = { ...good, moment: '2030-01-31T10:00:00.000Z', second: 'second@example.com', tags: ['b', 'a'] };
    const expected = Object.fromEntries(Object.entries(stored).map(([name, value]) => [idOf.get(name), value]));
    expect(byName['customFields']).toEqual(expected);
    const customFields = Object.fromEntries(Object.entries(good).map(([name, value]) => [idOf.get(name), value]));
    expect((await create({ email: 'b@example.com', customFields }))['customFields']).toEqual(expected);
  });

  it.each([
    ['line', ['two\nlines', 7, 'x'.repeat(1_001)]],
    ['essay', [{}, 'half \ud800']],
    ['ratio', ['1', true]],
    ['count', [0.5, 2 ** 53, '7']],
    ['open', ['true', 0]],
    ['day', ['2027-02-29', '2030-1-1', '2030-01-01T00:00:00Z', 5]],
    ['moment', ['2030-01-31T12:00:00', '2030-01-31', 'now']],
    ['second', ['nobody', 5]],
    ['site', ['javascript:alert(1)', 'example.com', 'https://']],
    ['tel', ['call me', 12]],
    ['size', ['XL', ['M']]],
    ['tags', ['a', ['c'], [1], {}]],
    ['nothing', ['anything']],
  ])('refuses a wrong %s and names it', async (name, wrong) => {
    await fieldsOf(...all);
    for (const value of wrong) {
      const customFields = { line: 'right', [name]: value };
      expect([value, ...(await wrongPaths(call('createAppUser', sent({ customFields }))))]).toEqual([
        value,
        400,
        [`customFields.${name}`],
      ]);
    }
    expect((await list()).total).toBe(0);
  });

  it('of one user may have 64 KB together', async () => {
    await fieldsOf(...['a', 'b', 'c', 'd'].map((name) => ({ name, type: 'longText' })));
    const text = 'x'.repeat(20_000);
    const { id: userId } = await create({ customFields: { a: text, b: text } });
    const more = (customFields: object) => call('updateAppUser', { projectId, userId, customFields });
    expect(await wrongPaths(more({ c: text, d: text }))).toEqual([400, ['customFields']]);
    expect((await more({ c: text })).status).toBe(200);
    expect((await more({ a: null, d: text })).status).toBe(200);
  });

  it('may be omitted by members even if users must give them at sign-up', async () => {
    await fieldsOf({ name: 'city', type: 'text', required: true });
    expect(await create()).toMatchObject({ customFields: {} });
  });

  it('that were removed retain their values', async () => {
    const [field] = await fieldsOf({ name: 'city', type: 'text' });
    const { id } = await create({ customFields: { city: 'Turin' } });
    await done(app, 'site/updateProjectAuth', { id: projectId, removeCustomFields: ['city'] });
    expect((await update(id, { name: 'New' }))['customFields']).toEqual({ [field?.id ?? '']: 'Turin' });
    expect((await users().personOf((await users().find(workspaceId, id)) as never)).properties).not.toHaveProperty(
      'city',
    );
    await fieldsOf({ name: 'city', type: 'text' });
    expect((await users().personOf((await users().find(workspaceId, id)) as never)).properties).toMatchObject({
      city: 'Turin',
      emailVerified: true,
    });
  });
});

describe('getAppUsers', () => {
  it('answers 50 by default, oldest first, and continues at the offset', async () => {
    const made: User[] = [];
    for (let n = 0; n < 53; n++) made.push(await create({ email: `u${n}@example.com` }));
    const ids = made.map(({ id }) => id);
    const page = async (body: Body) => {
      const { users: found, total } = await list(body);
      return [total, found.map(({ id }) => id)];
    };
    expect(await page({})).toEqual([53, ids.slice(0, 50)]);
    expect(await page({ limit: 2, offset: 50 })).toEqual([53, ids.slice(50, 52)]);
    expect(await page({ offset: 53 })).toEqual([53, []]);
    expect(await page({ limit: 200, offset: 1 })).toEqual([53, ids.slice(1)]);
  }, 60_000);

  it.each([
    ['limit', 0],
    ['limit', 201],
    ['limit', 1.5],
    ['offset', -1],
    ['offset', '1'],
  ])('refuses a list of users with the %s %j', async (name, value) => {
    expect(await wrongPaths(call('getAppUsers', { projectId, [name]: value }))).toEqual([400, [name]]);
  });

  it('shows no users of another site', async () => {
    await create();
    const { id: other } = await done(app, 'site/createProject', { name: 'Other' });
    expect(await list({ projectId: other })).toEqual({ users: [], total: 0 });
    await done(app, 'site/deleteProject', { id: other });
  });

  it('requires the right to see personal data, which Viewers lack', async () => {
    const viewer = await person(app, 'viewer');
    const editor = await person(app, 'editor');
    expect(await answer(call('getAppUsers', { projectId }, viewer.key))).toEqual([403, 'permission-missing']);
    expect(await answer(call('getAppUsers', { projectId }, editor.key))).toEqual([200, undefined]);
    const readOnly = await keyOf(app, { kind: 'person', memberId: editor.id, readOnly: true });
    expect(await answer(call('createAppUser', sent(), readOnly))).toEqual([403, 'read-only-key']);
    expect(await answer(call('createAppUser', sent(), viewer.key))).toEqual([403, 'viewer-refused']);
  });
});
