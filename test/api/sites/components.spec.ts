import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Reads } from '../../../src/engine/scopes/reads.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
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
  projectId = (await done(app, 'site/createProject', { name: 'Components' })).id;
});

type Row = Record<string, unknown> & { readonly id: string };
const call = (operation: string, body: object, key?: string) => app.call(`site/${operation}`, body, key);
const create = (body: object = {}, key?: string): Promise<Row> =>
  done(app, 'site/createComponent', { projectId, name: 'Hero', ...body }, key);
const get = (id: string): Promise<Row> => done(app, 'site/getComponent', { id });
const list = (): Promise<readonly Row[]> => done(app, 'site/listComponents', { projectId });
const update = (id: string, body: object): Promise<Row> => done(app, 'site/updateComponent', { id, ...body });
const answer = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.code];
};

describe('createComponent', () => {
  it('answers the component, by default of type custom and for this site', async () => {
    const component = await create();
    expect(component).toEqual({
      id: expect.stringMatching(/^comp_/),
      name: 'Hero',
      description: null,
      type: 'custom',
      isGlobal: false,
      createdAt: expect.any(String),
      updatedAt: component['createdAt'],
    });
    expect(await get(component.id)).toEqual({ ...component, content: '' });
  });

  it('stores all sent fields', async () => {
    const sent = { description: 'At the top.', type: 'layout', isGlobal: true, content: '\uFEFFa\r\n😀' };
    expect(await get((await create(sent)).id)).toMatchObject({ ...sent, name: 'Hero' });
  });

  it.each(['hero', 'hero-card', 'Hero Card', '2Hero', 'Héro'])(
    'saves the name %s unchanged and warns, because it is not in PascalCase',
    async (name) => {
      const component = await create({ name });
      expect(component['name']).toBe(name);
      expect(component['warning']).toContain(`'${name}' is not in PascalCase`);
      expect(await update(component.id, { name: 'Hero' })).not.toHaveProperty('warning');
      expect((await update(component.id, { name }))['warning']).toContain('PascalCase');
    },
  );

  it('refuses a name that the project has, but accepts it in another project', async () => {
    await create();
    expect(await answer(call('createComponent', { projectId, name: 'Hero' }))).toEqual([409, 'component-name-taken']);
    const { id: other } = await done(app, 'site/createProject', { name: 'Other' });
    expect(await create({ projectId: other })).toMatchObject({ name: 'Hero' });
    expect(await create({ name: 'hero' })).toMatchObject({ name: 'hero' });
  });

  it('gives a name to one of 20 simultaneous calls', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => answer(call('createComponent', { projectId, name: 'Race' }))),
    );
    expect(replies.filter(([status]) => status === 200)).toHaveLength(1);
    expect(replies.filter(([, code]) => code === 'component-name-taken')).toHaveLength(19);
    expect((await list()).filter(({ name }) => name === 'Race')).toHaveLength(1);
  });

  it.each([
    ['type', { type: 'widget' }],
    ['content', { content: 7 }],
    ['name', { name: '' }],
    ['isGlobal', { isGlobal: 'yes' }],
    ['unknown', { unknown: 1 }],
  ])('refuses a wrong %s', async (path, body) => {
    const reply = await call('createComponent', { projectId, name: 'Wrong', ...body });
    expect([reply.status, reply.body.errors?.[0]?.path]).toEqual([400, path]);
  });

  it('in an unknown project, or one of another workspace, is 404', async () => {
    const { ownerKey } = await otherWorkspace(app);
    const body = { projectId, name: 'x' };
    expect(await answer(call('createComponent', body, ownerKey))).toEqual([404, 'site-not-found']);
    expect(await answer(call('createComponent', { ...body, projectId: 'proj_none' }))).toEqual([404, 'site-not-found']);
    expect(await answer(call('listComponents', { projectId }, ownerKey))).toEqual([404, 'site-not-found']);
    expect(await list()).toEqual([]);
  });
});

describe('listComponents', () => {
  it('answers those of the project, oldest first, without content', async () => {
    const [a, b] = [await create({ name: 'B', content: 'x' }), await create({ name: 'A' })];
    const { id: other } = await done(app, 'site/createProject', { name: 'Other' });
    await create({ projectId: other, name: 'C' });
    expect(await list()).toEqual([a, b]);
  });
});

describe('updateComponent', () => {
  it('changes what is sent and nothing else', async () => {
    const component = await create({ content: 'a', description: 'Before' });
    const after = await update(component.id, { name: 'Top', type: 'ui', isGlobal: true, content: 'b' });
    expect(after).toEqual({ ...component, name: 'Top', type: 'ui', isGlobal: true, updatedAt: after['updatedAt'] });
    expect(await get(component.id)).toEqual({ ...after, content: 'b' });
    expect(await update(component.id, { name: 'Top', content: 'b' })).toEqual(after);
  });

  it('to a taken name is refused; the old name becomes free', async () => {
    const [hero, card] = [await create(), await create({ name: 'Card' })];
    expect(await answer(call('updateComponent', { id: card.id, name: 'Hero' }))).toEqual([409, 'component-name-taken']);
    await update(hero.id, { name: 'Top' });
    expect(await update(card.id, { name: 'Hero' })).toMatchObject({ name: 'Hero' });
    expect(await create({ name: 'Card' })).toMatchObject({ name: 'Card' });
  });

  it('gives a name to one of 20 simultaneous calls', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => create({ name: `C${n}` })));
    const replies = await Promise.all(all.map(({ id }) => answer(call('updateComponent', { id, name: 'Same' }))));
    expect(replies.filter(([status]) => status === 200)).toHaveLength(1);
    expect((await list()).filter(({ name }) => name === 'Same')).toHaveLength(1);
  });
});

describe('the source of a component', () => {
  it('is read by numbered lines', async () => {
    const { id } = await create({ content: 'a\n  b\nc' });
    expect(await done(app, 'site/readComponent', { id, offset: 2, limit: 1 })).toEqual({
      content: '   2→   b',
      startLine: 2,
      endLine: 2,
      totalLines: 3,
    });
  });

  it('is edited exactly; a miss answers nearby text and changes nothing', async () => {
    const { id } = await create({ content: 'one\ntwo two' });
    expect(await done(app, 'site/editComponent', { id, oldString: 'one', newString: '1' })).toEqual({ replaced: 1 });
    const miss = await call('editComponent', { id, oldString: 'two  two', newString: 'x' });
    expect([miss.status, miss.body.code, miss.body.nearby]).toEqual([409, 'no-match', '1\ntwo two']);
    expect(await answer(call('editComponent', { id, oldString: 'two', newString: 'x' }))).toEqual([409, 'not-unique']);
    expect((await get(id))['content']).toBe('1\ntwo two');
    await done(app, 'site/editComponent', { id, oldString: 'two', newString: '2', replaceAll: true });
    expect((await get(id))['content']).toBe('1\n2 2');
  });

  it('may be large, and is then edited and compared as well', async () => {
    const content = `${'x'.repeat(2_000)}\n${'é'.repeat(2_000)}`;
    const component = await create({ content });
    expect((await update(component.id, { content }))['updatedAt']).toBe(component['updatedAt']);
    await done(app, 'site/editComponent', { id: component.id, oldString: '\n', newString: '-' });
    expect((await get(component.id))['content']).toBe(content.replace('\n', '-'));
  });

  it('may have 2 MB and not a byte more', async () => {
    const most = 2 * 1024 * 1024;
    const { id } = await create({ content: 'x'.repeat(most) });
    const more = await call('updateComponent', { id, content: 'x'.repeat(most + 1) });
    expect([more.status, more.body.errors?.[0]?.path]).toEqual([400, 'content']);
    await update(id, { content: `${'x'.repeat(most - 1)}y` });
    expect(await answer(call('editComponent', { id, oldString: 'y', newString: 'zz' }))).toEqual([
      413,
      'content-too-large',
    ]);
  });

  it('can be searched', async () => {
    const { id } = await create({ content: 'a\nb\nc' });
    expect(await done(app, 'site/searchComponent', { id, pattern: '^b$', contextLines: 1 })).toEqual({
      matches: [{ line: 2, text: 'b', before: ['a'], after: ['c'] }],
      truncated: false,
    });
  });
});

describe('deleteComponent', () => {
  it('deletes the component, and frees its name', async () => {
    const component = await create();
    expect(await done(app, 'site/deleteComponent', { id: component.id })).toEqual({ success: true, usedBy: [] });
    for (const operation of ['getComponent', 'readComponent', 'deleteComponent', 'updateComponent']) {
      expect([operation, ...(await answer(call(operation, { id: component.id })))]).toEqual([
        operation,
        404,
        'component-not-found',
      ]);
    }
    expect((await create()).id).not.toBe(component.id);
  });

  it('is permitted while it is in use, and answers the pages and components that import it', async () => {
    const hero = await create();
    const padding = `// ${'x'.repeat(3_000)}\n`;
    const page = await done(app, 'site/createPage', {
      projectId,
      name: 'Start',
      path: '/start',
      content: `${padding}import Hero from '@/components/Hero';\nexport default () => <Hero />;`,
    });
    const card = await create({ name: 'Card', content: 'import { x } from "@/components/Hero";' });
    await create({ name: 'Other', content: 'import Hero from "@/components/Heroes"; // @/components/Hero' });
    await done(app, 'site/createPage', { projectId, name: 'Unused', path: '/unused' });
    const { id: other } = await done(app, 'site/createProject', { name: 'Other' });
    await create({ projectId: other, name: 'Card', content: 'import Hero from "@/components/Hero";' });
    expect(await done(app, 'site/deleteComponent', { id: hero.id })).toEqual({
      success: true,
      usedBy: [
        { kind: 'page', id: page.id, name: 'Start', line: 2 },
        { kind: 'component', id: card.id, name: 'Card', line: 1 },
      ],
    });
    expect(await answer(call('getComponent', { id: hero.id }))).toEqual([404, 'component-not-found']);
  });

  it('is refused to a Viewer, who can read', async () => {
    const component = await create();
    const { key } = await person(app, 'viewer');
    expect(await answer(call('deleteComponent', { id: component.id }, key))).toEqual([403, 'viewer-refused']);
    expect((await call('getComponent', { id: component.id }, key)).status).toBe(200);
  });

  it('of another workspace is 404', async () => {
    const { ownerKey } = await otherWorkspace(app);
    const component = await create();
    for (const operation of ['getComponent', 'readComponent', 'deleteComponent', 'updateComponent']) {
      expect((await call(operation, { id: component.id }, ownerKey)).status).toBe(404);
    }
    expect(await get(component.id)).toMatchObject({ name: 'Hero' });
  });
});

describe("a caller's message about a change", () => {
  it('is recorded with it', async () => {
    const { id } = await create({ content: 'a', commitMessage: 'First' });
    await update(id, { content: 'b', commitMessage: 'Second' });
    await done(app, 'site/editComponent', { id, oldString: 'b', newString: 'c', commitMessage: 'Third' });
    await done(app, 'site/deleteComponent', { id, commitMessage: 'Last' });
    const store = app.app.get(EventStore, { strict: false });
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const events = await store.readStream(`component-${workspaceId}.${id}`);
    expect(events.map(({ data }) => (data as { message?: unknown }).message)).toEqual([
      'First',
      'Second',
      'Third',
      'Last',
    ]);
  });
});

describe('components of a deleted project', () => {
  it('are deleted at once, and their records end', async () => {
    const component = await create();
    await done(app, 'site/deleteProject', { id: projectId });
    expect((await call('getComponent', { id: component.id })).status).toBe(404);
    expect((await call('updateComponent', { id: component.id, name: 'x' })).status).toBe(404);
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const left = () => app.app.get(Reads, { strict: false }).count(workspaceId, 'components', { projectId });
    await eventually(left, (count) => count === 0);
  });
});
