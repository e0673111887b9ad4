import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { done, keyOf } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';

let app: TestApp;
let site: SiteFunctionsScene;
let automation: string;
let baseId: string;
let posts: Tabled;
let salaries: Tabled;
beforeAll(async () => {
  app = await sharedApp();
  await done(app, 'workspace/updateSettings', { versions: false, fourEyes: false });
  automation = await keyOf(app, { kind: 'automation' });
});
afterAll(() => app?.close());
beforeEach(async () => {
  site = await SiteFunctionsScene.of(app, `Blog ${randomUUID()}`);
  baseId = (await done(app, 'site/getProject', { id: site.projectId })).linkedBase.id;
  posts = await table('posts', [
    { name: 'title', type: 'text' },
    { name: 'secret', type: 'text' },
  ]);
  salaries = await table('salaries', [{ name: 'amount', type: 'text' }]);
  await done(app, 'bases/createRow', { tableId: posts.id, values: { title: 'Hello', secret: 'POST-CANARY' } });
  await done(app, 'bases/createRow', { tableId: salaries.id, values: { amount: 'SALARY-CANARY' } });
});

interface Tabled {
  readonly id: string;
  readonly fields: readonly { readonly id: string; readonly name: string }[];
}
const table = (name: string, fields: object[]): Promise<Tabled> =>
  done(app, 'bases/createTable', { baseId, name, fields });
const rename = (id: string, name: string) => done(app, 'bases/updateTable', { id, name }, automation);
const renameField = (of: Tabled, from: string, name: string) => {
  const fieldId = of.fields.find((field) => field.name === from)?.id;
  return done(app, 'bases/updateField', { tableId: of.id, fieldId, name }, automation);
};

const accessRules = { execute: { type: 'public', scope: 'everywhere' } };
const definition = {
  kind: 'list',
  table: 'posts',
  filter: { not: { any: [{ title: { eq: { $param: 'but' } } }] } },
  sort: [{ field: 'title', dir: 'asc' }],
  fields: ['title'],
  params: { but: { type: 'string' } },
};
async function approved(): Promise<string> {
  const sent = { projectId: site.projectId, name: 'titles', definition, runAs: 'service', accessRules };
  const { status, body } = await app.call('site/createDataFunction', sent);
  expect(status).toBe(202);
  await site.approve(body);
  return body.id;
}
const titles = () => site.visit('titles', { params: { but: 'x' } });
const id = expect.any(String);

describe('an approved data function', () => {
  it('follows its own table to a new name, and not the old name to another table', async () => {
    await approved();
    await rename(posts.id, 'old');
    await rename(salaries.id, 'posts');
    await renameField(salaries, 'amount', 'title');
    expect(await titles()).toEqual({ rows: [{ id, title: 'Hello' }], total: 1 });
  });

  it('follows its own field to a new name, and not the old name to another field', async () => {
    await approved();
    await renameField(posts, 'title', 'headline');
    await renameField(posts, 'secret', 'title');
    expect(await titles()).toEqual({ rows: [{ id, headline: 'Hello' }], total: 1 });
  });

  it('fails once its field or table is removed, and does not use another of the same name', async () => {
    await approved();
    const fieldId = posts.fields[0]?.id;
    await done(app, 'bases/removeField', { tableId: posts.id, fieldId });
    await renameField(posts, 'secret', 'title');
    const gone = { error: 'This function refers to data that no longer exists; the owner of the site can fix it.' };
    expect(await titles()).toEqual(gone);
    const { status, body } = await site.invoke('titles', { but: 'x' });
    expect([status, body.code, body.fields]).toEqual([409, 'data-field-gone', ['title']]);
    await done(app, 'bases/deleteTable', { id: posts.id });
    await rename(salaries.id, 'posts');
    expect(await titles()).toEqual(gone);
  });

  it('is shown with the names that it was saved with; sending these back changes nothing', async () => {
    const functionId = await approved();
    await rename(posts.id, 'old');
    await rename(salaries.id, 'posts');
    const named = { projectId: site.projectId, functionId };
    const read = await done(app, 'site/getBackendFunction', named);
    expect(read.definition).toEqual(definition);
    const same = await app.call('site/updateDataFunction', { ...named, definition: read.definition });
    expect([same.status, same.body.pendingChange]).toEqual([200, undefined]);
    const other = { kind: 'list', table: 'posts', fields: ['amount'] };
    const { status } = await app.call('site/updateDataFunction', { ...named, definition: other });
    expect([status, await titles()]).toEqual([202, { rows: [{ id, title: 'Hello' }], total: 1 }]);
  });

  it('recorded with names only, by an earlier version, refers to what had them at the time', async () => {
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const functionId = await approved();
    const stream = streamOf('siteFunction', workspaceId, functionId);
    const event = { id: randomUUID(), type: 'FunctionDefinitionChanged', data: { definition } };
    const [first] = await app.app.get(EventStore).readStream(stream);
    if (first === undefined) throw new Error('There is no such function.');
    const metadata = { ...first.metadata, commandId: randomUUID(), at: new Date().toISOString() };
    await app.app.get(EventStore).append([{ stream, expected: 'any', events: [{ ...event, metadata }] }]);
    await rename(posts.id, 'old');
    await renameField(posts, 'title', 'headline');
    await rename(salaries.id, 'posts');
    await renameField(salaries, 'amount', 'title');
    // A later version with the same definition keeps the names that it resolved to at first.
    await site.approve(
      (await app.call('site/updateBackendFunction', { projectId: site.projectId, functionId, timeout: 5_000 })).body,
    );
    expect(await titles()).toEqual({ rows: [{ id, headline: 'Hello' }], total: 1 });
  });
});

describe('a definition that can never run', () => {
  it.each<readonly [string, object, string]>([
    ['an unknown operator', { kind: 'count', filter: { any: [{ age: { near: 1 } }] } }, 'filter.any[0].age.near'],
    ['an operator of other types', { kind: 'count', filter: { adult: { gt: true } } }, 'filter.adult.gt'],
    [
      'an operator before a placeholder',
      { kind: 'count', filter: { age: { contains: { $param: 'p' } } } },
      'filter.age.contains',
    ],
    ['a value of another type', { kind: 'count', filter: { not: { age: 'old' } } }, 'filter.not.age'],
    [
      'a value of another type in a list',
      { kind: 'count', filter: { age: { in: [1, { $param: 'p' }, 'x'] } } },
      'filter.age.in',
    ],
    ['an order that there is not', { kind: 'list', sort: [{ field: 'about' }] }, 'sort[0].field'],
    ['an entry of sort that is none', { kind: 'list', sort: [{ field: 'age', dir: 'up' }] }, 'sort[0].dir'],
    ['a written value of another type', { kind: 'update', values: { age: 'old' } }, 'values.age'],
    ['a new row without what is required', { kind: 'create', values: { age: 1 } }, 'values.name'],
    ['nothing for what is required', { kind: 'update', values: { name: null } }, 'values.name'],
    ['an unknown field', { kind: 'get', filter: { not: { nope: 1 } } }, 'filter.not.nope'],
  ])('is refused on save: %s', async (_, wrong, path) => {
    await people();
    const sent = { table: 'people', params: { p: { type: 'number' } }, ...wrong };
    const made = await app.call('site/createDataFunction', {
      projectId: site.projectId,
      name: 'wrong',
      definition: sent,
    });
    expect([made.status, made.body.errors]).toEqual([
      400,
      [{ path: `definition.${path}`, message: expect.any(String) }],
    ]);
    const { kind } = wrong as { readonly kind: string };
    const values = kind === 'create' || kind === 'update' ? { values: { name: 'Ada' } } : {};
    const fine = { kind, table: 'people', ...values };
    const fn = await done(app, 'site/createDataFunction', {
      projectId: site.projectId,
      name: 'fine',
      definition: fine,
    });
    const saved = { projectId: site.projectId, functionId: fn.id, definition: sent };
    expect((await app.call('site/updateDataFunction', saved)).body.errors).toEqual(made.body.errors);
  });

  it('but not one whose values come from its callers', async () => {
    await people();
    const p = { $param: 'p' };
    const fine = [
      {
        kind: 'update',
        filter: { age: { in: [1, p] }, any: [{ age: p }, { name: { contains: p } }] },
        values: { age: p, about: { a: p } },
      },
      { kind: 'create', values: { name: p, about: [1, 'x'] } },
      {
        kind: 'list',
        filter: { age: { in: p }, createdAt: { gt: '2026-01-01' }, adult: { isEmpty: true } },
        sort: [{ field: 'createdAt' }],
      },
    ];
    for (const [n, one] of fine.entries()) {
      const sent = { table: 'people', params: { p: {} }, ...one };
      await done(app, 'site/createDataFunction', { projectId: site.projectId, name: `fine ${n}`, definition: sent });
    }
  });

  const people = () =>
    table('people', [
      { name: 'name', type: 'text', required: true },
      { name: 'age', type: 'number' },
      { name: 'adult', type: 'boolean' },
      { name: 'about', type: 'json' },
    ]);
});
