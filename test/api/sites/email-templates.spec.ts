import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Reads } from '../../../src/engine/scopes/reads.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let projectId: string;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Templates' })).id;
});

type Row = Record<string, unknown> & { readonly id: string };
const call = (operation: string, body: object, key?: string) => app.call(`site/${operation}`, body, key);
const create = (body: object = {}): Promise<Row> =>
  done(app, 'site/createEmailTemplate', { projectId, name: 'Welcome', slug: 'welcome', ...body });
const get = (id: string): Promise<Row> => done(app, 'site/getEmailTemplate', { id });
const list = (): Promise<readonly Row[]> => done(app, 'site/listEmailTemplates', { projectId });
const update = (id: string, body: object): Promise<Row> => done(app, 'site/updateEmailTemplate', { id, ...body });
const answer = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.code];
};
const wrong = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.errors?.[0]?.path];
};

describe('createEmailTemplate', () => {
  it('answers the template', async () => {
    const template = await create();
    expect(template).toEqual({
      id: expect.stringMatching(/^tpl_/),
      name: 'Welcome',
      slug: 'welcome',
      subject: null,
      description: null,
      variables: [],
      createdAt: expect.any(String),
      updatedAt: template['createdAt'],
    });
    expect(await get(template.id)).toEqual({ ...template, content: '' });
  });

  it('stores all sent fields', async () => {
    const sent = {
      subject: 'Hello {{name}}',
      description: 'After signing up',
      content: '\uFEFF<p>Hello {{name}}</p>\r\n',
      variables: [
        { name: 'name', default: 'friend' },
        { name: 'n', default: 0 },
        { name: 'b', default: false },
        { name: 'c' },
      ],
    };
    expect(await get((await create(sent)).id)).toMatchObject(sent);
  });

  it.each(['Welcome', 'wel come', 'a--b', '-a', 'a-', 'wél', 'a_b', '', 'a'.repeat(101), 7, 'a\n'])(
    'refuses the slug %j',
    async (slug) => {
      expect(await wrong(call('createEmailTemplate', { projectId, name: 'x', slug }))).toEqual([400, 'slug']);
    },
  );

  it.each(['a', '1', 'order-confirmation', '2-fa', 'a'.repeat(100)])('accepts the slug %s', async (slug) => {
    expect((await create({ slug }))['slug']).toBe(slug);
  });

  it.each([
    ['no list', 'name'],
    ['a text', ['name']],
    ['no name', [{ default: 'x' }]],
    ['a name with blanks', [{ name: 'a b' }]],
    ['a name that begins with a digit', [{ name: '1a' }]],
    ['a long name', [{ name: 'a'.repeat(65) }]],
    ['another member', [{ name: 'a', type: 'text' }]],
    ['a default that is an object', [{ name: 'a', default: {} }]],
    ['null for a default', [{ name: 'a', default: null }]],
    ['a long default', [{ name: 'a', default: 'x'.repeat(2_001) }]],
    ['one name twice', [{ name: 'a' }, { name: 'a' }]],
    ['101 entries', Array.from({ length: 101 }, (_, n) => ({ name: `v${n}` }))],
    ['null', null],
  ])('refuses variables with %s', async (_, variables) => {
    const body = { projectId, name: 'x', slug: 'x', variables };
    expect(await wrong(call('createEmailTemplate', body))).toEqual([400, 'variables']);
  });

  it('refuses a slug that the project has, but accepts it in another project', async () => {
    await create();
    const again = call('createEmailTemplate', { projectId, name: 'Again', slug: 'welcome' });
    expect(await answer(again)).toEqual([409, 'template-slug-taken']);
    const { id: other } = await done(app, 'site/createProject', { name: 'Other' });
    expect(await create({ projectId: other })).toMatchObject({ slug: 'welcome' });
  });

  it('gives a slug to one of 20 simultaneous calls', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => answer(call('createEmailTemplate', { projectId, name: 'x', slug: 'race' }))),
    );
    expect(replies.filter(([status]) => status === 200)).toHaveLength(1);
    expect(replies.filter(([, code]) => code === 'template-slug-taken')).toHaveLength(19);
    expect(await list()).toHaveLength(1);
  });

  it('in an unknown project, or one of another workspace, is 404', async () => {
    const { ownerKey } = await otherWorkspace(app);
    const body = { projectId, name: 'x', slug: 'x' };
    expect(await answer(call('createEmailTemplate', body, ownerKey))).toEqual([404, 'site-not-found']);
    expect(await answer(call('listEmailTemplates', { projectId }, ownerKey))).toEqual([404, 'site-not-found']);
    expect(await list()).toEqual([]);
  });
});

describe('updateEmailTemplate', () => {
  it('changes what is sent and nothing else', async () => {
    const template = await create({ content: 'a', variables: [{ name: 'a', default: 'x' }] });
    const sent = { name: 'New', slug: 'new', subject: 'Subject', variables: [{ name: 'b' }] };
    const after = await update(template.id, { ...sent, content: 'b' });
    expect(after).toEqual({ ...template, ...sent, updatedAt: after['updatedAt'] });
    expect(await get(template.id)).toEqual({ ...after, content: 'b' });
    expect(await update(template.id, { ...sent, content: 'b' })).toEqual(after);
    expect(await list()).toEqual([after]);
  });

  it('to a taken slug is refused; the old slug becomes free', async () => {
    const [a, b] = [await create({ slug: 'a' }), await create({ slug: 'b' })];
    const taken = call('updateEmailTemplate', { id: b.id, slug: 'a' });
    expect(await answer(taken)).toEqual([409, 'template-slug-taken']);
    await update(a.id, { slug: 'c' });
    expect(await update(b.id, { slug: 'a' })).toMatchObject({ slug: 'a' });
  });

  it('validates like createEmailTemplate', async () => {
    const { id } = await create();
    expect(await wrong(call('updateEmailTemplate', { id, slug: 'No' }))).toEqual([400, 'slug']);
    expect(await wrong(call('updateEmailTemplate', { id, variables: [1] }))).toEqual([400, 'variables']);
    expect(await wrong(call('updateEmailTemplate', { id, content: 1 }))).toEqual([400, 'content']);
  });
});

describe('the source of a template', () => {
  it('can be read by numbered lines, searched, and edited exactly', async () => {
    const { id } = await create({ content: '<p>\n  {{name}}\n</p>' });
    expect(await done(app, 'site/readEmailTemplate', { id, offset: 2, limit: 1 })).toEqual({
      content: '   2→   {{name}}',
      startLine: 2,
      endLine: 2,
      totalLines: 3,
    });
    expect((await done(app, 'site/searchEmailTemplate', { id, pattern: '\\{\\{' })).matches).toHaveLength(1);
    expect(await done(app, 'site/editEmailTemplate', { id, oldString: '{{name}}', newString: '{{you}}' })).toEqual({
      replaced: 1,
    });
    const miss = await call('editEmailTemplate', { id, oldString: '{{name}}', newString: 'x' });
    expect([miss.status, miss.body.code, miss.body.nearby]).toEqual([409, 'no-match', '<p>\n  {{you}}\n</p>']);
    expect(await answer(call('editEmailTemplate', { id, oldString: 'p>', newString: 'x' }))).toEqual([
      409,
      'not-unique',
    ]);
    expect((await get(id))['content']).toBe('<p>\n  {{you}}\n</p>');
  });

  it('may have 2 MB and not a byte more', async () => {
    const most = 2 * 1024 * 1024;
    const { id } = await create({ content: 'x'.repeat(most) });
    expect((await get(id))['content']).toHaveLength(most);
    expect(await wrong(call('updateEmailTemplate', { id, content: 'x'.repeat(most + 1) }))).toEqual([400, 'content']);
  });
});

describe('deleteEmailTemplate', () => {
  it('deletes the template, and frees its slug', async () => {
    const { id } = await create();
    expect(await done(app, 'site/deleteEmailTemplate', { id })).toEqual({ success: true, usedBy: [] });
    for (const operation of [
      'getEmailTemplate',
      'readEmailTemplate',
      'searchEmailTemplate',
      'editEmailTemplate',
      'updateEmailTemplate',
      'deleteEmailTemplate',
    ]) {
      const body = {
        id,
        ...(operation.startsWith('search') ? { pattern: 'x' } : {}),
        ...(operation.startsWith('edit') ? { oldString: 'a', newString: 'b' } : {}),
      };
      expect([operation, ...(await answer(call(operation, body)))]).toEqual([
        operation,
        404,
        'email-template-not-found',
      ]);
    }
    await create();
  });

  it('is permitted while it is in use, and answers the pages and components whose code sends it', async () => {
    const { id } = await create();
    const page = await done(app, 'site/createPage', {
      projectId,
      name: 'Join',
      path: '/join',
      content: `const join = () =>\n  email.send({ to, template: 'welcome' });`,
    });
    const content = 'send({ "template": "welcome" })';
    const component = await done(app, 'site/createComponent', { projectId, name: 'Form', content });
    await done(app, 'site/createComponent', {
      projectId,
      name: 'Other',
      content: `send({ template: 'welcome-back' })`,
    });
    expect(await done(app, 'site/deleteEmailTemplate', { id })).toEqual({
      success: true,
      usedBy: [
        { kind: 'page', id: page.id, name: 'Join', line: 2 },
        { kind: 'component', id: component.id, name: 'Form', line: 1 },
      ],
    });
  });

  it('is refused to a Viewer, who can read; and for another workspace it is 404', async () => {
    const { id } = await create();
    const { key } = await person(app, 'viewer');
    expect(await answer(call('deleteEmailTemplate', { id }, key))).toEqual([403, 'viewer-refused']);
    expect((await call('getEmailTemplate', { id }, key)).status).toBe(200);
    const { ownerKey } = await otherWorkspace(app);
    expect((await call('deleteEmailTemplate', { id }, ownerKey)).status).toBe(404);
    expect((await call('getEmailTemplate', { id }, ownerKey)).status).toBe(404);
  });
});

describe('templates of a deleted project', () => {
  it('are deleted at once, and their records end', async () => {
    const { id } = await create();
    await done(app, 'site/deleteProject', { id: projectId });
    expect((await call('getEmailTemplate', { id })).status).toBe(404);
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const left = () => app.app.get(Reads, { strict: false }).count(workspaceId, 'email-templates', { projectId });
    await eventually(left, (count) => count === 0);
  });
});
