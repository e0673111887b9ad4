import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let site: string;
let table: string;
let dataFunction: string;
let user: string;
beforeAll(async () => {
  app = await sharedApp();
  const project = await done(app, 'site/createProject', { name: 'Shop' });
  site = project.id;
  const fields = [
    { name: 'title', type: 'text', required: true },
    { name: 'size', type: 'number' },
  ];
  table = (await done(app, 'bases/createTable', { baseId: project.linkedBaseId, name: 'Orders', fields })).id;
  const definition = { kind: 'list', table: 'Orders' };
  dataFunction = (await done(app, 'site/createDataFunction', { projectId: site, name: 'list', definition })).id;
  user = (
    await done(app, 'site/createAppUser', {
      projectId: site,
      email: 'ada@example.com',
      password: 'correct horse battery',
    })
  ).id;
});
afterAll(() => app.close());

/** Expects a 400 whose errors all have messages. Returns its code and the paths of the errors. */
async function refused(operation: string, body: object) {
  const { status, body: problem } = await app.call(operation, body);
  const errors: readonly { readonly path: string; readonly message: string }[] = problem.errors ?? [];
  for (const { message } of errors) expect(message).not.toMatch(/^$|undefined/);
  expect({ status, detail: problem.detail }).toMatchObject({
    status: 400,
    detail: expect.not.stringContaining('undefined'),
  });
  return [problem.code, errors.map(({ path }) => path)];
}

describe('a 400 names the paths that are wrong', () => {
  it.each([
    ['custom-domain-empty', 'site/updateCustomDomain', { customDomain: '' }, ['customDomain']],
    [
      'dependencies-refused',
      'site/updateProject',
      { dependencies: { a: 'file:../a', zod: '3.0.0', b: 'link:b' } },
      ['dependencies.a', 'dependencies.b'],
    ],
    [
      'custom-field-invalid',
      'site/updateProjectAuth',
      { authCustomFields: [{ name: 'size', type: 'text' }, { type: 'text' }] },
      ['authCustomFields[1].name'],
    ],
    [
      'custom-field-invalid',
      'site/updateProjectAuth',
      { authCustomFields: [{ name: 'size', type: 'hat' }] },
      ['authCustomFields[0].type'],
    ],
    ['auth-path-invalid', 'site/updateProjectAuth', { authPaths: { login: 'login' } }, ['authPaths.login']],
    ['auth-mailbox-unknown', 'site/updateProjectAuth', { authMailAccount: 'Post' }, ['authMailAccount']],
  ])('a 400 of the code %s from %s names the paths', async (code, operation, body, paths) => {
    expect(await refused(operation, { id: site, ...body })).toEqual([code, paths]);
  });

  it('for permissions of agents: unknown keys', async () => {
    const body = { projectId: site, aiPermissions: { 'pages:*': true, 'hats:*': true } };
    const paths = ['aiPermissions.hats:*'];
    expect(await refused('site/updateAiPermissions', body)).toEqual(['ai-permission-unknown', paths]);
  });

  it('for pages: an edit without a change, an unsupported pattern, an unknown role', async () => {
    const { id } = await done(app, 'site/createPage', { projectId: site, name: 'Home', path: '/', content: 'a' });
    const same = { id, oldString: 'a', newString: 'a' };
    expect(await refused('site/editPage', same)).toEqual(['edit-changes-nothing', ['newString']]);
    expect(await refused('site/searchPage', { id, pattern: '(?=a)' })).toEqual(['pattern-not-supported', ['pattern']]);
    expect(await refused('site/updatePage', { id, requiredRole: 'none' })).toEqual(['roles-unknown', ['requiredRole']]);
  });

  it("for searches: with the pattern's reason", async () => {
    const { id } = await done(app, 'site/createComponent', { projectId: site, name: 'Hero', content: 'a' });
    const reason = async (pattern: string) => {
      const { status, body } = await app.call('site/searchComponent', { id, pattern });
      return [status, body.errors?.[0]?.message];
    };
    expect(await reason('a{2000}')).toEqual([400, expect.stringContaining('repeats something more than 1000 times')]);
    expect(await reason('a(?!b)')).toEqual([400, expect.stringContaining('has a look-around or a back reference')]);
  });

  it('for app users: unknown roles, and two different names of one thing', async () => {
    const body = {
      projectId: site,
      email: 'b@example.com',
      password: 'correct horse battery',
      roleIds: ['one', 'two'],
    };
    expect(await refused('site/createAppUser', body)).toEqual(['roles-unknown', ['roleIds[0]', 'roleIds[1]']]);
    const two = { projectId: site, userId: user, customFields: { a: 1 }, profileData: { a: 2 } };
    expect(await refused('site/updateAppUser', two)).toEqual(['profile-data-differs', ['profileData']]);
    const unknown = { projectId: site, userId: user, profileData: { hat: 1 } };
    expect(await refused('site/updateAppUser', unknown)).toEqual(['invalid-input', ['profileData.hat']]);
  });

  it('for variables: a secret that would be shown, and a setting that would be a secret', async () => {
    const { id } = await done(app, 'site/createEnvVar', { projectId: site, name: 'PAY_KEY', value: 'x' });
    expect(await refused('site/updateEnvVar', { id, isSecret: false })).toEqual(['secret-stays-secret', ['isSecret']]);
    const setting = { projectId: site, name: 'APP_KEY', value: 'x' };
    expect(await refused('site/createEnvVar', setting)).toEqual(['env-var-name-reserved', ['name']]);
  });

  it('for rows: unknown or missing fields, and a row that is named twice', async () => {
    const create = (rows: readonly object[]) => refused('bases/createRows', { tableId: table, rows });
    expect(await create([{ title: 'a' }, { title: 'b', hat: 1 }])).toEqual(['unknown-field', ['rows[1].hat']]);
    expect(await create([{ title: 'a' }, { size: 1 }])).toEqual(['row-value-required', ['rows[1].title']]);
    const list = (query: object) => refused('bases/listRows', { tableId: table, ...query });
    expect(await list({ filter: { any: [{ hat: 1 }] } })).toEqual(['unknown-field', ['filter.any[0].hat']]);
    expect(await list({ sort: [{ field: 'hat' }] })).toEqual(['unknown-field', ['sort[0].field']]);
    expect(await list({ cursor: 'hat' })).toEqual(['cursor-of-another-list', ['cursor']]);
    const ids = ['row_a', 'row_a'];
    expect(await refused('bases/deleteRows', { tableId: table, ids })).toEqual(['row-named-twice', ['ids[1]']]);
    const spec = { groupBy: ['title', 'hat'], measures: [{ op: 'count' }] };
    expect(await refused('bases/reportRows', { tableId: table, spec })).toEqual(['unknown-field', ['spec.groupBy[1]']]);
  });

  it('for functions: missing and unparsable code, a definition with other fields', async () => {
    const code = { name: 'x', code: 'a b' };
    expect(await refused('automations/createFunction', code)).toEqual(['code-invalid', ['code']]);
    const named = { projectId: site, functionId: dataFunction };
    const update = (definition: object) => refused('site/updateDataFunction', { ...named, definition });
    expect(await update({ kind: 'get', table: 'Orders' })).toEqual(['definition-kind', ['definition.kind']]);
    const sort = [{ field: 'title' }, { field: 'hat' }];
    expect(await update({ kind: 'list', table: 'Orders', sort, fields: ['hat'] })).toEqual([
      'unknown-field',
      ['definition.sort[1].field', 'definition.fields[0]'],
    ]);
  });

  it('for access rules: the valid levels', async () => {
    const rules = { projectId: site, accessRules: { send: { type: 'public', scope: 'world' } } };
    const { status, body } = await app.call('site/setEmailAccessRules', rules);
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          path: 'accessRules.send.scope',
          message:
            'must state the level: everywhere, site (only through this site) or internet (anyone on the internet)',
        },
      ],
    ]);
  });

  it('for the whole body, and for headers', async () => {
    const post = async (body: string, headers: object = {}) => {
      const sent = { 'content-type': 'application/json', authorization: `Bearer ${app.ownerKey}`, ...headers };
      const { status, body: problem } = await app.send('POST', '/api/v1/automations/createFunction', body, sent);
      return [status, problem.code, problem.errors.map(({ path }: { path: string }) => path)];
    };
    expect(await post('{')).toEqual([400, 'invalid-json', ['']]);
    expect(await post('[]')).toEqual([400, 'invalid-body', ['']]);
    expect(await post('{}', { 'X-Dry-Run': 'hat' })).toEqual([400, 'dry-run-unclear', ['X-Dry-Run']]);
    const fine = '{"name":"x","code":"return 1"}';
    const key = 'Idempotency-Key';
    expect(await post(fine, { [key]: 'a'.repeat(256) })).toEqual([400, 'idempotency-key-invalid', [key]]);
  });
});
