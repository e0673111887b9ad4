import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import '../../src/app.module.js';
import { fieldsOf } from '../../src/engine/operation/field.js';
import { allOperations } from '../../src/engine/operation/operation.js';
import { startApp, type TestApp } from '../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.close());

const half = 'half a character: \ud800';
/** What things are looked up by. */
const lookedUpBy = /^(id|name|slug|handle|key|kind|event|before|seenVersion|hash)$|(Id|Ids|Ref|Key|Name)$/;

describe('an id or a name that is not well-formed Unicode', () => {
  // The id of a decision holds the decision: nothing is looked up by it.
  const operations = [...allOperations()].filter(({ name }) => name !== 'workspace/explainDecision');
  it.each(operations.map((operation) => [operation.name, operation] as const))(
    'is refused by %s, which names it',
    async (name, { input }) => {
      const taken: unknown[] = [];
      for (const [field, spec] of fieldsOf(input)) {
        const isList = spec.type === 'array' && spec.items === 'string';
        const isText = spec.type === 'string' || (spec.type === 'any' && spec.schema?.['type'] === 'string');
        if (!lookedUpBy.test(field) || !(isList || isText)) continue;
        const { status, body } = await app.call(name, { [field]: isList ? [half] : half });
        const told = (body.errors ?? []).map(({ path }: { path: string }) => path);
        if (status !== 400 || !told.includes(field)) taken.push([field, status, body.code, told]);
      }
      expect(taken).toEqual([]);
    },
  );

  it('is refused where a session names it, too', async () => {
    const { status, body } = await app.send(
      'POST',
      `/api/app/${encodeURIComponent('\ud7ff')}%ED%A0%80/auth/login`,
      '{}',
      {
        'content-type': 'application/json',
      },
    );
    expect([status >= 400 && status < 500, typeof body.code]).toEqual([true, 'string']);
  });
});
