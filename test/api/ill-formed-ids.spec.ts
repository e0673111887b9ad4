import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import '../../src/app.module.js';
import { type FieldSpec, fieldsOf } from '../../src/engine/operation/field.js';
import { wrongValue } from '../../src/engine/operation/judge-field.js';
import { allOperations } from '../../src/engine/operation/operation.js';
import { startApp, type TestApp } from '../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.close());

const half = 'half a character: \ud800';
/** What things are looked up by. */
const lookedUpBy = /^(id|name|slug|handle|key|kind|event|before|seenVersion)$|(Id|Ids|Ref|Name)$/;
const isText = (spec: FieldSpec) =>
  spec.type === 'string' || (spec.type === 'any' && spec.schema?.['type'] === 'string');
const isList = (spec: FieldSpec) => spec.type === 'array' && spec.items === 'string';
/** Judged by the operation itself; and an id that holds what it stands for, so that nothing is looked up by it. */
const others = ['accountEvents/raise name', 'workspace/explainDecision id'];

describe('an id or a name that is not well-formed Unicode', () => {
  it('fits no field of any operation', () => {
    const fields = [...allOperations()].flatMap(({ name, input }) =>
      [...fieldsOf(input)].map(([field, spec]) => ({ field: `${name} ${field}`, by: field, spec })),
    );
    const keys = fields.filter(({ by, spec }) => lookedUpBy.test(by) && (isText(spec) || isList(spec)));
    expect(keys.length).toBeGreaterThan(200);
    const taken = keys.filter(({ spec }) => wrongValue(spec, isList(spec) ? [half] : half) === undefined);
    expect(taken.map(({ field }) => field)).toEqual(others);
  });

  it.each([
    ['automations/getFunction', { id: half }, 'id'],
    ['automations/createFunction', { name: half, code: '' }, 'name'],
    ['accountEvents/raise', { name: half }, 'name'],
    ['accountEvents/raise', { name: 'a', idempotencyKey: half }, 'idempotencyKey'],
    ['bases/deleteRows', { tableId: 'tbl_1', ids: [half] }, 'ids'],
  ])('is refused by %s %j', async (operation, body, path) => {
    const { status, body: told } = await app.call(operation, body);
    expect([status, told.code, told.errors?.map((one: { path: string }) => one.path)]).toEqual([
      400,
      'invalid-input',
      [path],
    ]);
  });

  it('is refused in an address, too', async () => {
    const { status, body } = await app.send('POST', '/api/app/%ED%A0%80/auth/login', '{}', {
      'content-type': 'application/json',
    });
    expect([status >= 400 && status < 500, typeof body.code]).toEqual([true, 'string']);
  });
});
