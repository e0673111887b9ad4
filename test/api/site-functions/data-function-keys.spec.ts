import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { Rows } from '../../../src/areas/bases/row/rows.api.js';
import { ReadStoreUnavailable } from '../../../src/ports/read-store.port.js';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';

let app: TestApp;
let site: SiteFunctionsScene;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  site = await SiteFunctionsScene.of(app);
  const { linkedBase } = await done(app, 'site/getProject', { id: site.projectId });
  const fields = [
    { name: 'title', type: 'text' },
    { name: 'total', type: 'number' },
  ];
  const table = await done(app, 'bases/createTable', { baseId: linkedBase.id, name: 'Orders', fields });
  for (const total of [1, 2, 3]) await done(app, 'bases/createRow', { tableId: table.id, values: { total } });
});

const create = (definition: object) =>
  done(app, 'site/createDataFunction', {
    projectId: site.projectId,
    name: 'data',
    definition: { table: 'Orders', ...definition },
  });
const keyed = async (key: string, params: object) => {
  const body = { functionName: 'data', projectId: site.projectId, params };
  const { status, body: answer } = await app.call('site/invokeBackendFunction', body, undefined, {
    'idempotency-key': key,
  });
  return [status, answer.code ?? answer.data, answer.detail];
};

it('a call of a data function with an Idempotency-Key keeps its refusal as the answer: the key runs nothing else', async () => {
  const filter = { total: { lte: { $param: 'upTo' } } };
  await create({ kind: 'update', filter, values: { title: 'seen' }, params: { upTo: { type: 'number' } } });
  const first = await keyed('data-refused', { upTo: 2 });
  expect(first.slice(0, 2)).toEqual([409, 'several-rows']);
  expect(await keyed('data-refused', { upTo: 2 })).toEqual(first);
  expect((await keyed('data-refused', { upTo: 1 })).slice(0, 2)).toEqual([409, 'idempotency-key-reused']);
  expect((await keyed('data-corrected', { upTo: 1 })).slice(0, 2)).toEqual([200, { updated: 1 }]);
  expect(await site.runs()).toHaveLength(2);
});

it('a call of a data function with an Idempotency-Key does not ask to repeat a run that a store failed', async () => {
  await create({ kind: 'count' });
  const away = jest
    .spyOn(app.app.get(Rows, { strict: false }), 'count')
    .mockRejectedValue(new ReadStoreUnavailable('away'));
  const unkeyed = await site.invoke('data');
  expect([unkeyed.status, unkeyed.body.code]).toEqual([503, 'store-unavailable']);
  const first = await keyed('data-store', {});
  expect(first.slice(0, 2)).toEqual([422, 'function-failed']);
  away.mockRestore();
  expect(await keyed('data-store', {})).toEqual(first);
  expect((await keyed('data-store-2', {})).slice(0, 2)).toEqual([200, { count: 3 }]);
});
