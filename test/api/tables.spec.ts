import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { done } from '../support/people.js';

let app: TestApp;
let baseId: string;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  baseId = (await done(app, 'bases/createBase', { name: 'Shop' })).id;
});

interface ShownField {
  readonly id: string;
  readonly name: string;
  readonly [member: string]: unknown;
}
interface ShownTable {
  readonly id: string;
  readonly name: string;
  readonly fields: readonly ShownField[];
  readonly accessRules: object;
  readonly updatedAt: string;
}
const create = (body: object = {}, key?: string): Promise<ShownTable> =>
  done(app, 'bases/createTable', { baseId, name: 'Orders', ...body }, key);
const get = (id: string): Promise<ShownTable> => done(app, 'bases/getTable', { id });
const list = (): Promise<readonly ShownTable[]> => done(app, 'bases/listTables', { baseId });
const title = { name: 'title', type: 'text' };

describe('createTable', () => {
  it('answers the table with its fields, each with an id and everything that it is by default', async () => {
    const table = await create({ fields: [title, { name: 'state', type: 'select', options: ['open', 'done'] }] });
    const plain = { required: false, unique: false, indexed: false, accessRules: {} };
    expect(table).toEqual({
      id: expect.stringMatching(/^tbl_/),
      baseId,
      name: 'Orders',
      description: null,
      fields: [
        { ...plain, ...title, id: expect.stringMatching(/^fld_/) },
        { ...plain, id: expect.stringMatching(/^fld_/), name: 'state', type: 'select', options: ['open', 'done'] },
      ],
      accessRules: {},
      rowCount: 0,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(table.fields[0]?.id).not.toBe(table.fields[1]?.id);
    expect(await get(table.id)).toEqual(table);
    expect(await list()).toEqual([table]);
  });
});
