import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Decision } from '../../kernel/judging/decision.js';
import type { Vault } from '../../ports/vault.port.js';
import { SealedDecisions, sealedIdLength } from './sealed-decisions.js';

const vaultOf = (key: string) => ({ derive: (text: string) => `${key}/${text}` }) as unknown as Vault;
const ids = new SealedDecisions(vaultOf('one'));
const at = '2026-01-01T00:00:00.000Z';
const rule = (outcomes: string, more: object = {}): Decision => ({
  kind: 'rule',
  at,
  code: 'execute-refused',
  projectId: 'prj_0123456789abcdefghij',
  place: {
    kind: 'field',
    id: 'fld_0123456789abcdefghij',
    operation: 'write',
    tableId: 'tbl_0123456789abcdefghij',
    rowId: 'row_0123456789abcdefghij',
  },
  userId: 'usr_0123456789abcdefghij',
  outcome: 'denied',
  rule: 'abcdefghijklmnop',
  policies: 'qrstuvwxyz012345',
  outcomes,
  ...more,
});
const right = (sentence: string): Decision => ({
  kind: 'right',
  at,
  code: 'permission-missing',
  operation: 'automations/setFunctionCapabilities',
  asked: { permission: 'functions.edit', touches: true, takesAway: true, callers: ['person', 'connection', 'agent'] },
  caller: {
    kind: 'connection',
    id: 'key_0123456789abcdefghij',
    keyId: 'key_0123456789abcdefghij',
    role: 'viewer',
    more: ['audit.read', 'mailboxes.manage', 'site.publish'],
    less: [],
    readOnly: true,
    neverDeletes: true,
  },
  sentence,
});

test('property: a sealed decision can be opened again, in another process too, and all ids have equal length', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(fc.constantFrom('a', 'd', 'o', 'f'), { maxLength: 300 }).map((all) => rule(all.join(''))),
        fc.string({ maxLength: 60 }).map((text) => right(text)),
      ),
      (decision) => {
        const id = ids.seal('ws_1', decision);
        expect(id).toHaveLength(sealedIdLength);
        expect(id).toMatch(/^dec_[\w-]+$/);
        expect(new SealedDecisions(vaultOf('one')).open('ws_1', id)).toEqual(decision);
        expect(ids.open('ws_2', id)).toBeUndefined();
        expect(new SealedDecisions(vaultOf('two')).open('ws_1', id)).toBeUndefined();
      },
    ),
  );
});

test('property: a changed id is invalid', () => {
  const id = ids.seal('ws_1', right('x'));
  fc.assert(
    fc.property(fc.integer({ min: 4, max: id.length - 2 }), fc.constantFrom(...'Aaz09_-'), (place, letter) => {
      const changed = `${id.slice(0, place)}${letter}${id.slice(place + 1)}`;
      expect(ids.open('ws_1', changed) === undefined).toBe(changed !== id);
    }),
  );
});

test('a decision that is too long is cut, with a notice, and its id keeps its length', () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return 'adof'[(seed >> 16) % 4] ?? 'a';
  };
  const outcomes = Array.from({ length: 20_000 }, random).join('');
  const id = ids.seal('ws_1', rule(outcomes));
  expect(id).toHaveLength(sealedIdLength);
  const opened = ids.open('ws_1', id);
  if (opened?.kind !== 'rule') throw new Error('It is no rule.');
  expect(opened.judged).toBe(20_000);
  expect(opened.outcomes?.length).toBeGreaterThan(100);
  expect(outcomes.startsWith(opened.outcomes ?? '-')).toBe(true);

  const long = ids.open('ws_1', ids.seal('ws_1', right('ü'.repeat(10) + outcomes)));
  expect(long).toMatchObject({ kind: 'right', sentence: expect.stringMatching(/…$/) });

  const endless = ids.seal('ws_1', rule('', { place: { kind: 'table', id: outcomes, operation: 'read' } }));
  expect(endless).toHaveLength(sealedIdLength);
  expect(ids.open('ws_1', endless)).toBeUndefined();
});
