// Engines: one process.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { RealtimeClient } from '../../support/sites/realtime-client.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

let app: TestApp;
let visitors: SiteVisitors;
let baseId: string;
let tableId: string;
const opened: RealtimeClient[] = [];
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app?.close());
beforeEach(async () => {
  visitors = await siteVisitors(app, { authCustomFields: [{ name: 'team', type: 'text' }] });
  baseId = (await done(app, 'site/getProject', { id: visitors.projectId })).linkedBase.id;
  const fields = [
    { name: 'title', type: 'text' },
    { name: 'team', type: 'text' },
    { name: 'done', type: 'boolean' },
    { name: 'wage', type: 'number' },
  ];
  tableId = (await done(app, 'bases/createTable', { baseId, name: 'Tasks', fields })).id;
});
afterEach(() => {
  for (const client of opened.splice(0)) client.close();
});

const everybody = { type: 'public', scope: 'everywhere' };
const ownTeam = { type: 'field_match', field: 'team', property: 'team' };
const connect = async (pass?: string) => {
  const client = await RealtimeClient.open(app, visitors.projectId, pass);
  opened.push(client);
  return client;
};
const user = async (email: string, team: string) => {
  const { id } = await visitors.user(email, { customFields: { team } });
  return { id, client: await connect(await visitors.logIn(email)) };
};
const readBy = (read: unknown) => done(app, 'bases/setTableAccessRules', { tableId, accessRules: { read } });
const watch = (client: RealtimeClient, filter?: object, table = 'Tasks') =>
  client.outcome({ type: 'subscribe-rows', table, ...(filter === undefined ? {} : { filter }) });
const create = async (values: object): Promise<string> => (await done(app, 'bases/createRow', { tableId, values })).id;
const update = (id: string, values: object) => done(app, 'bases/updateRow', { tableId, id, values });
const told = (client: RealtimeClient) =>
  client.received.filter(({ type }) => type === 'row' || type === 'reload').map(({ op, rowId }) => [op, rowId]);
/** Waits for this message. Returns all row messages so far. */
const until = async (client: RealtimeClient, op: string, rowId: string) => {
  await client.next((one) => one.type === 'row' && one.op === op && one.rowId === rowId);
  return told(client);
};

describe('subscriptions to rows', () => {
  it('report created, changed and removed rows, by their ids and without any value', async () => {
    await readBy(everybody);
    const visitor = await connect();
    expect(await watch(visitor)).toBe('subscribed');
    const id = await create({ title: 'Secret title' });
    await until(visitor, 'created', id);
    await update(id, { title: 'Another title' });
    await until(visitor, 'changed', id);
    await done(app, 'bases/deleteRow', { tableId, id });
    expect(await until(visitor, 'gone', id)).toEqual([
      ['created', id],
      ['changed', id],
      ['gone', id],
    ]);
    expect(JSON.stringify(visitor.received)).not.toContain('title');
  });

  it('follow the filter: a row that no longer matches is removed, and one that does from now on is created', async () => {
    await readBy(everybody);
    const visitor = await connect();
    await watch(visitor, { done: { ne: true } });
    const id = await create({ title: 'one', done: true });
    await update(id, { done: false });
    await until(visitor, 'created', id);
    await update(id, { done: true });
    expect(await until(visitor, 'gone', id)).toEqual([
      ['created', id],
      ['gone', id],
    ]);
  });

  it('are judged for each subscriber by the rules of the table: nobody learns of hidden rows', async () => {
    await readBy(ownTeam);
    const red = await user('red@example.com', 'red');
    const blue = await user('blue@example.com', 'blue');
    await watch(red.client);
    await watch(blue.client);
    const ofRed = await create({ team: 'red' });
    const ofBlue = await create({ team: 'blue' });
    await until(red.client, 'created', ofRed);
    await until(blue.client, 'created', ofBlue);
    await update(ofRed, { team: 'blue' });
    expect(await until(red.client, 'gone', ofRed)).toEqual([
      ['created', ofRed],
      ['gone', ofRed],
    ]);
    expect(await until(blue.client, 'created', ofRed)).toEqual([
      ['created', ofBlue],
      ['created', ofRed],
    ]);
    expect(await watch(await connect())).toBe('table-not-found');
  });

  it('report when rows become unreadable because the visitor or the rules changed', async () => {
    await readBy(ownTeam);
    const ada = await user('ada@example.com', 'red');
    const [red, blue] = [await create({ team: 'red' }), await create({ team: 'blue' })];
    await watch(ada.client);
    const { projectId } = visitors;
    await done(app, 'site/updateAppUser', { projectId, userId: ada.id, customFields: { team: 'blue' } });
    await until(ada.client, 'created', blue);
    expect(told(ada.client)).toEqual([
      ['gone', red],
      ['created', blue],
    ]);
    ada.client.received.length = 0;
    await readBy(everybody);
    expect(await until(ada.client, 'created', red)).toEqual([['created', red]]);
    ada.client.received.length = 0;
    await readBy([]);
    const refused = await ada.client.next(({ type }) => type === 'refused');
    expect(refused.code).toBe('table-not-found');
    expect(told(ada.client).sort()).toEqual(
      [
        ['gone', blue],
        ['gone', red],
      ].sort(),
    );
  });

  it('do not reveal hidden fields: a filter by one finds nothing', async () => {
    await readBy(everybody);
    const table = await done(app, 'bases/getTable', { id: tableId });
    const { id: fieldId } = table.fields.find(({ name }: { name: string }) => name === 'wage');
    await done(app, 'bases/updateField', { tableId, fieldId, accessRules: { read: [] } });
    const visitor = await connect();
    const { type, code, errors } = await visitor.ask({
      type: 'subscribe-rows',
      table: 'Tasks',
      filter: { wage: { gt: 100 } },
    });
    expect([type, code]).toEqual(['error', 'unknown-field']);
    expect(JSON.stringify(errors ?? [])).not.toContain('title');
    expect(await watch(visitor, { wrong: 1 })).toBe('unknown-field');
    expect(await watch(visitor, undefined, 'None')).toBe('table-not-found');
  });

  it('follow relations: rows are added and removed with the related ones', async () => {
    const fields = [
      { name: 'of', type: 'relation', targetTableId: tableId },
      { name: 'who', type: 'user' },
    ];
    const members = await done(app, 'bases/createTable', { baseId, name: 'Members', fields });
    await done(app, 'bases/addField', {
      tableId,
      field: { name: 'member', type: 'relation', targetTableId: members.id },
    });
    await readBy({ type: 'relationship', path: 'member.who' });
    const ada = await user('ada@example.com', 'red');
    const eve = await user('eve@example.com', 'red');
    const row = await done(app, 'bases/createRow', { tableId: members.id, values: { who: eve.id } });
    const id = await create({ title: 'theirs', member: row.id });
    await watch(ada.client);
    await watch(eve.client);
    await done(app, 'bases/updateRow', { tableId: members.id, id: row.id, values: { who: ada.id } });
    await until(ada.client, 'created', id);
    expect(await until(eve.client, 'gone', id)).toEqual([['gone', id]]);
  });

  it('are reloaded after an erasure, because the former state is unknown', async () => {
    await readBy(everybody);
    const id = await create({ title: 'one' });
    const visitor = await connect();
    await watch(visitor);
    await done(app, 'bases/eraseRow', { tableId, id });
    await visitor.next((one) => one.type === 'reload' || one.op === 'gone');
  });

  it('end after unsubscribe-rows', async () => {
    await readBy(everybody);
    const visitor = await connect();
    const { id } = await visitor.ask({ type: 'subscribe-rows', table: 'Tasks' });
    visitor.send({ type: 'unsubscribe-rows', id });
    await visitor.next(({ type }) => type === 'unsubscribed');
    await watch(visitor, { title: 'last' });
    await create({ title: 'unheard' });
    const last = await create({ title: 'last' });
    expect(await until(visitor, 'created', last)).toEqual([['created', last]]);
  });
});
