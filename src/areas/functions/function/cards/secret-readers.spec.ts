import { describe, expect, test } from '@jest/globals';
import { type FunctionDocument, hasFullDataAccess, type Power } from '../function.record.js';
import { readersOf } from './secret-readers.js';

type SecretReader = Parameters<typeof readersOf>[1][number];

const fn = (more: Partial<SecretReader>): SecretReader => ({ id: 'fn_1', name: 'Orders', code: 'return 1', ...more });
const reads = (more: Partial<SecretReader>) => readersOf('PAY_KEY', [fn(more)]).length === 1;

describe('a function reads a secret', () => {
  test.each<[string, Partial<SecretReader>]>([
    ['that is on its list', { secrets: [{ name: 'OTHER' }, { name: 'PAY_KEY' }] }],
    ['named in single quotes', { code: "return ctx.secrets.ref('PAY_KEY')" }],
    ['named in double quotes', { code: 'return ctx.secrets.ref("PAY_KEY")' }],
    ['named in a template', { code: 'return ctx.secrets.ref(`PAY_KEY`)' }],
    ['named with an escape', { code: "return ctx.secrets.ref('\\x50AY_KEY')" }],
    ['named in a module', { code: "const key = 'PAY_KEY';\nexport default async () => key" }],
    ['named in its draft alone', { draft: { code: "return 'PAY_KEY'" } }],
    ['named in code that does not parse', { draft: { code: 'ref("PAY_KEY" ' } }],
  ])('a function reads a secret %s', (_, more) => {
    expect(reads(more)).toBe(true);
  });

  test.each<[string, Partial<SecretReader>]>([
    ['that neither its list nor its code names', { secrets: [{ name: 'OTHER' }], draft: null }],
    ['whose name is a part of another', { code: "return 'MY_PAY_KEY' + 'PAY_KEY_2'", secrets: [{ name: 'PAY' }] }],
    ['that a comment mentions', { code: "return 1 // 'PAY_KEY'" }],
    ['whose name is a variable', { code: 'const PAY_KEY = 1; return PAY_KEY' }],
  ])('not one %s', (_, more) => {
    expect(reads(more)).toBe(false);
  });
});

test('all readers are found, in order', () => {
  const functions = [fn({ id: 'a', code: "'PAY_KEY'" }), fn({ id: 'b' }), fn({ id: 'c', code: "'PAY_KEY'" })];
  expect(readersOf('PAY_KEY', functions).map(({ id }) => id)).toEqual(['a', 'c']);
});

test("Full data access is the power 'service', or acting as the workspace", () => {
  const full = (capabilities: readonly Power[], identityMode: FunctionDocument['identityMode'] = 'as_set_up') =>
    hasFullDataAccess({ capabilities, identityMode });
  expect([full(['env', 'service']), full(['env']), full([]), full([], 'workspace')]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});
