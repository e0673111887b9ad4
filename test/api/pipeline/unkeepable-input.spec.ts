import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import '../../../src/app.module.js';
import { allOperations } from '../../../src/engine/operation/operation.js';
import { inputOf } from '../../../src/engine/operation/validation.js';
import { fieldsOf } from '../../../src/kernel/field/field.js';
import { Refusal } from '../../../src/kernel/refusals/refusal.js';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { siteVisitors } from '../../support/sites/site-visitors.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app?.close());

const half = 'half a character: \ud800';
const nul = 'a\u0000b';

const pathsOf = (body: { readonly errors?: readonly { readonly path: string }[] }) =>
  body.errors?.map(({ path }) => path);
const refused = async (operation: string, body: object) => {
  const { status, body: told } = await app.call(operation, body);
  return [status, told.code, pathsOf(told)];
};
/** Sends JSON as text, because JavaScript cannot represent some of the numbers in it. */
const sendJson = (operation: string, json: string) =>
  app.send('POST', `/api/v1/${operation}`, json, {
    'content-type': 'application/json',
    authorization: `Bearer ${app.ownerKey}`,
  });

describe('an unpaired surrogate, and U+0000', () => {
  it.each([half, nul])('is refused with its path in any field of any operation: %j', (text) => {
    const taken: string[] = [];
    for (const { name, input } of allOperations()) {
      for (const field of fieldsOf(input).keys()) {
        try {
          inputOf(input, { [field]: { within: [text] } });
          taken.push(`${name} ${field}`);
        } catch (error) {
          expect(error instanceof Refusal && pathsOf(error.facts)).toEqual([`${field}.within[0]`]);
        }
      }
    }
    expect(taken).toEqual([]);
  });

  it.each([
    ['automations/getFunction', { id: half }, 'id'],
    ['automations/createFunction', { name: 'a', code: `// ${nul}` }, 'code'],
    ['automations/createFunction', { name: nul, code: '' }, 'name'],
    ['accountEvents/raise', { name: 'a', idempotencyKey: half }, 'idempotencyKey'],
    ['accountEvents/raise', { name: 'a', payload: { note: [nul] } }, 'payload.note[0]'],
    ['accountEvents/raise', { name: 'a', payload: { [nul]: 1 } }, `payload.${nul}`],
    ['bases/deleteRows', { tableId: 'tbl_1', ids: [half] }, 'ids[0]'],
    ['site/createPage', { projectId: 'proj_1', name: 'a', path: '/a', content: half }, 'content'],
    ['automations/setEnvVar', { name: 'KEY', value: nul }, 'value'],
  ])('is refused by %s %j', async (operation, body, path) => {
    expect(await refused(operation, body)).toEqual([400, 'invalid-input', [path]]);
  });

  it("is refused by the visitors' API, too", async () => {
    const visitors = await siteVisitors(app);
    const answers = [
      await visitors.post('auth/signup', { email: 'ada@example.com', password: `${'x'.repeat(8)}${nul}` }),
      await visitors.post('functions/any', { password: half }),
    ];
    for (const { status, body } of answers) expect([status, pathsOf(body)]).toEqual([400, ['password']]);
    const { status, body } = await app.send('POST', '/api/app/%ED%A0%80/auth/login', '{}', {
      'content-type': 'application/json',
    });
    expect([status >= 400 && status < 500, typeof body.code]).toEqual([true, 'string']);
  });
});

describe('a number that JSON cannot represent', () => {
  it.each(['1e400', '-1e400', `${'9'.repeat(309)}`, `${'9'.repeat(250)}e99`])(
    'a number that JSON cannot represent is refused: %s',
    async (number) => {
      const { linkedBase } = await done(app, 'site/createProject', { name: 'Shop' }).then(({ id }) =>
        done(app, 'site/getProject', { id }),
      );
      const fields = [{ name: 'data', type: 'json' }];
      const { id } = await done(app, 'bases/createTable', { baseId: linkedBase.id, name: 'T', fields });
      const row = await sendJson('bases/createRow', `{"tableId":"${id}","values":{"data":{"a":[${number}]}}}`);
      expect([row.status, row.body.code, pathsOf(row.body)]).toEqual([400, 'invalid-input', ['values.data.a[0]']]);
      const event = await sendJson('accountEvents/raise', `{"name":"a","payload":{"n":${number}}}`);
      expect([event.status, event.body.code, pathsOf(event.body)]).toEqual([400, 'invalid-input', ['payload.n']]);
    },
  );
});

describe('a number of an operation', () => {
  const whole = [...allOperations()].flatMap(({ name, input }) =>
    [...fieldsOf(input)].flatMap(([field, spec]) => (spec.type === 'integer' ? [{ name, input, field }] : [])),
  );

  it('that must be an integer is exact, in every field of every operation', () => {
    expect(whole.length).toBeGreaterThan(40);
    for (const { input, field } of whole) {
      for (const value of [1e308, -1e308, 2 ** 53, 0.5]) {
        try {
          inputOf(input, { [field]: value });
        } catch (error) {
          expect(error instanceof Refusal && pathsOf(error.facts)).toContain(field);
          continue;
        }
        throw new Error(`${field} takes ${value}`);
      }
    }
  });

  it('is refused or correct at its extremes: readPage', async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Shop' });
    const { id } = await done(app, 'site/createPage', { projectId, name: 'a', path: '/a', content: 'x\ny' });
    for (const number of [1e308, 2 ** 53, -1, 0]) {
      expect(await refused('site/readPage', { id, offset: number })).toEqual([400, 'invalid-input', ['offset']]);
    }
    const most = Number.MAX_SAFE_INTEGER;
    expect(await done(app, 'site/readPage', { id, offset: most, limit: most })).toEqual({
      content: '',
      startLine: most,
      endLine: most - 1,
      totalLines: 2,
    });
    expect(await done(app, 'site/readPage', { id, offset: 2, limit: most })).toMatchObject({
      startLine: 2,
      endLine: 2,
    });
  });
});
