import { describe, expect, it } from '@jest/globals';
import { policies } from '../../../../test/support/conditions/condition-facts.js';
import { type Approved, ledFrom, ledFromNone, ledFromWords } from './led-from.api.js';

const known = policies({ staff: { type: 'authenticated' }, editors: [{ policy: 'staff' }] });
const approved = (name: string, guard: Approved['guard'], ...rules: readonly unknown[]): Approved => ({
  id: `fn_${name}`,
  name,
  guard,
  rules,
});

describe('a reference to approved functions', () => {
  it.each<[string, readonly Approved[], string]>([
    ['no function', [], 'none'],
    ['a function with other rules', [approved('a', 'card', { type: 'authenticated' })], 'none'],
    ['a function that names the policy', [approved('a', 'person', [{ policy: 'staff' }])], 'person'],
    ['a function that names it through another', [approved('a', 'person', { not: { policy: 'editors' } })], 'person'],
    ['only the draft of one', [approved('a', 'card', null, { policy: 'staff' })], 'card'],
    [
      'several: the strictest counts',
      [approved('a', 'person', { policy: 'staff' }), approved('b', 'card', { policy: 'staff' })],
      'card',
    ],
  ])('is a policy for %s', (_, functions, guard) => {
    expect(ledFrom({ kind: 'policy', id: 'staff' }, functions, known).guard).toBe(guard);
  });

  it('is found in a function that a rule asks', () => {
    const asks = approved('a', 'card', { type: 'function', functionId: 'fn_gate' });
    expect(ledFrom({ kind: 'gate', id: 'fn_gate' }, [asks], known)).toEqual({ guard: 'card', functions: [asks] });
    expect(ledFrom({ kind: 'gate', id: 'fn_other' }, [asks], known)).toBe(ledFromNone);
  });

  it('is reported with five names at most', () => {
    const functions = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => approved(name, 'card'));
    expect(ledFromWords({ guard: 'card', functions })).toBe(
      "which decides who may execute the functions 'a', 'b', 'c', 'd', 'e' and 2 more, with Full data access",
    );
  });
});
