import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

const made = async (): Promise<string> => (await done(app, 'site/createProject', { name: 'Shop' })).id;
const update = (body: object, key?: string) => app.call('site/updateProjectAuth', body, key);
const updated = (body: object) => done(app, 'site/updateProjectAuth', body);
const auth = async (id: string) => (await done(app, 'site/getProject', { id })).auth;
const size = { name: 'size', type: 'select', options: ['S', 'M'] };

describe('updateProjectAuth', () => {
  it('begins with sign-in off, sign-up open and sessions of the platform', async () => {
    expect(await auth(await made())).toEqual({
      allowedOrigins: [],
      authEnabled: false,
      authAllowSignup: true,
      authRequireEmail: false,
      authAllowSocial: false,
      authPaths: {},
      authSessionHours: null,
      authCustomFields: [],
      authMailAccount: null,
      authVerifyTemplateId: null,
      authResetTemplateId: null,
    });
  });

  it('changes sent fields, and answers the settings', async () => {
    const id = await made();
    const sent = { authEnabled: true, authAllowSignup: false, authRequireEmail: true, authAllowSocial: true };
    const answer = await updated({ id, ...sent });
    expect(answer).toMatchObject({ id, name: 'Shop', ...sent, authSessionHours: null });
    expect(await auth(id)).toMatchObject(sent);
    await updated({ id, authAllowSocial: false });
    expect(await auth(id)).toMatchObject({ ...sent, authAllowSocial: false });
  });

  it.each([
    [0, 400],
    [1, 200],
    [8_760, 200],
    [8_761, 400],
    [1.5, 400],
    ['24', 400],
    [null, 200],
  ])('authSessionHours %p answers %i', async (authSessionHours, status) => {
    const id = await made();
    expect((await update({ id, authSessionHours })).status).toBe(status);
    expect((await auth(id)).authSessionHours).toBe(status === 200 ? authSessionHours : null);
  });

  it('requires an Editor, and answers 404 for a project of another workspace', async () => {
    const id = await made();
    const { key } = await person(app, 'viewer');
    const { ownerKey } = await otherWorkspace(app);
    expect((await update({ id, authEnabled: true }, key)).status).toBe(403);
    expect((await update({ id, authEnabled: true }, ownerKey)).body.code).toBe('site-not-found');
    expect((await auth(id)).authEnabled).toBe(false);
  });
});

describe('authPaths', () => {
  it('are merged by key, and null removes a key', async () => {
    const id = await made();
    await updated({ id, authPaths: { login: '/sign-in', afterLogin: '/home', welcome: '/hello?x=1' } });
    await updated({ id, authPaths: { login: '/enter', afterLogin: null, unknown: null } });
    expect((await auth(id)).authPaths).toEqual({ login: '/enter', welcome: '/hello?x=1' });
  });

  it.each([
    ['a path of another host', { login: '//evil.example/login' }],
    ['a backslash', { login: '/\\evil.example' }],
    ['a URL', { login: 'https://evil.example' }],
    ['a relative path', { login: 'login' }],
    ['a number', { login: 7 }],
    ['a space', { login: '/a b' }],
    ['a key that is none', { 'a b': '/x' }],
    ['more than 50 keys', Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`key${n}`, '/x']))],
  ])('refuse %s and change nothing', async (_, authPaths) => {
    const id = await made();
    await updated({ id, authPaths: { login: '/sign-in' } });
    const reply = await update({ id, authPaths });
    expect([reply.status, reply.body.code]).toEqual([400, 'auth-path-invalid']);
    expect((await auth(id)).authPaths).toEqual({ login: '/sign-in' });
  });

  it('never change the prototype', async () => {
    const id = await made();
    const reply = await app.call('site/updateProjectAuth', JSON.parse(`{"id":"${id}","authPaths":{"__proto__":"/x"}}`));
    expect(reply.status).toBe(400);
    await updated({ id, authPaths: { constructor: '/x' } });
    expect(JSON.stringify((await auth(id)).authPaths)).toBe('{"constructor":"/x"}');
  });
});

describe('authCustomFields', () => {
  it('get an id each, and are merged by name', async () => {
    const id = await made();
    await updated({ id, authCustomFields: [size, { name: 'age', type: 'integer', label: 'Age', required: true }] });
    const [first, second] = (await auth(id)).authCustomFields;
    expect(first).toEqual({ id: expect.stringMatching(/^field_/), ...size, label: 'size', required: false });
    expect(second).toMatchObject({ name: 'age', label: 'Age', type: 'integer', required: true });
    await updated({
      id,
      authCustomFields: [
        { name: 'size', label: 'Size' },
        { name: 'vip', type: 'boolean' },
      ],
    });
    const fields = (await auth(id)).authCustomFields;
    expect(fields.map(({ name }: { name: string }) => name)).toEqual(['size', 'age', 'vip']);
    expect(fields[0]).toEqual({ ...first, label: 'Size' });
  });

  it('can be sent back as they were answered', async () => {
    const id = await made();
    const { authCustomFields } = await updated({ id, authCustomFields: [size] });
    expect((await updated({ id, authCustomFields })).authCustomFields).toEqual(authCustomFields);
  });

  it('null removes all', async () => {
    const id = await made();
    await updated({ id, authCustomFields: [size] });
    expect((await updated({ id, authCustomFields: null })).authCustomFields).toEqual([]);
  });

  it('are removed before the merge, and a field that is added again has its id again', async () => {
    const id = await made();
    const { authCustomFields } = await updated({ id, authCustomFields: [size, { name: 'age', type: 'integer' }] });
    const answer = await updated({
      id,
      removeCustomFields: ['size', 'age', 'never'],
      authCustomFields: [{ name: 'size', type: 'text' }],
    });
    expect(answer.authCustomFields).toEqual([
      { id: authCustomFields[0].id, name: 'size', label: 'size', type: 'text', required: false },
    ]);
  });

  it('lose nothing of two simultaneous additions', async () => {
    const id = await made();
    const names = Array.from({ length: 10 }, (_, n) => `field${n}`);
    await Promise.all(names.map((name) => updated({ id, authCustomFields: [{ name, type: 'text' }] })));
    const fields = (await auth(id)).authCustomFields;
    expect(fields.map(({ name }: { name: string }) => name).sort()).toEqual(names);
  });

  it.each([
    ['no name', { type: 'text' }],
    ['a name with spaces', { name: 'my size', type: 'text' }],
    ['a name that every user has', { name: 'email', type: 'text' }],
    ['no type', { name: 'x' }],
    ['an unknown type', { name: 'x', type: 'relation' }],
    ['a select without options', { name: 'x', type: 'select' }],
    ['a select with no option', { name: 'x', type: 'select', options: [] }],
    ['an option that stands twice', { name: 'x', type: 'select', options: ['a', 'a'] }],
    ['an option that is no text', { name: 'x', type: 'multiSelect', options: [1] }],
    ['options of a text', { name: 'x', type: 'text', options: ['a'] }],
    ['a member that is none', { name: 'x', type: 'text', default: 'a' }],
    ['an id of another field', { name: 'x', type: 'text', id: 'field_other' }],
    ['a label of two lines', { name: 'x', type: 'text', label: 'a\nb' }],
    ['required that is no boolean', { name: 'x', type: 'text', required: 'yes' }],
  ])('refuse %s and change nothing', async (_, field) => {
    const id = await made();
    await updated({ id, authCustomFields: [size] });
    const before = await auth(id);
    const reply = await update({ id, authEnabled: true, authCustomFields: [{ name: 'ok', type: 'text' }, field] });
    expect([reply.status, reply.body.code]).toEqual([400, 'custom-field-invalid']);
    expect(await auth(id)).toEqual(before);
  });

  it('refuse a name that is sent twice, and more than 100 fields', async () => {
    const id = await made();
    const many = Array.from({ length: 60 }, (_, n) => ({ name: `a${n}`, type: 'text' }));
    expect((await update({ id, authCustomFields: [size, size] })).body.code).toBe('custom-field-invalid');
    await updated({ id, authCustomFields: many });
    const more = many.map(({ name, type }) => ({ name: `b${name}`, type }));
    expect((await update({ id, authCustomFields: more })).body.code).toBe('custom-field-invalid');
  });
});

describe('mail of sign-in', () => {
  it('names an active mailbox that serves the site; null is the platform', async () => {
    const id = await made();
    const mailbox = {
      fromAddress: 'ada@example.com',
      host: '127.0.0.1',
      port: 2525,
      secure: false,
      username: 'ada',
      password: 'pw',
    };
    const other = await made();
    for (const [name, projectId] of [
      ['Ours', undefined],
      ['This one', id],
      ['Another', other],
    ]) {
      await done(app, 'automations/createMailAccount', { name, ...mailbox, ...(projectId ? { projectId } : {}) });
    }
    await updated({ id, authMailAccount: 'Ours' });
    expect((await auth(id)).authMailAccount).toBe('Ours');
    await updated({ id, authMailAccount: 'This one' });
    for (const authMailAccount of ['Another', 'Nobody', '']) {
      const reply = await update({ id, authMailAccount });
      expect([reply.status, reply.body.code]).toEqual([400, 'auth-mailbox-unknown']);
    }
    expect((await auth(id)).authMailAccount).toBe('This one');
    await updated({ id, authMailAccount: null });
    expect((await auth(id)).authMailAccount).toBeNull();
  });

  it('accepts templates of the project only', async () => {
    const id = await made();
    await updated({ id, authVerifyTemplateId: null, authResetTemplateId: null });
    for (const body of [{ authVerifyTemplateId: 'tmpl_none' }, { authResetTemplateId: 'tmpl_none' }]) {
      const reply = await update({ id, ...body });
      expect([reply.status, reply.body.code]).toEqual([404, 'template-not-found']);
    }
    const template = (projectId: string) =>
      done(app, 'site/createEmailTemplate', { projectId, name: 'Verify', slug: 'verify', content: '<p>{{link}}</p>' });
    const [own, anothers] = [await template(id), await template(await made())];
    expect((await update({ id, authVerifyTemplateId: anothers.id })).body.code).toBe('template-not-found');
    await updated({ id, authVerifyTemplateId: own.id, authResetTemplateId: own.id });
    expect(await auth(id)).toMatchObject({ authVerifyTemplateId: own.id, authResetTemplateId: own.id });
  });
});
