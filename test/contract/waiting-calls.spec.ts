import { describe, expect, test } from '@jest/globals';
import '../../src/areas/areas.module.js';
import { isSometimesRisky } from '../../src/engine/approvals/asked-operation.js';
import { allOperations, mayWait } from '../../src/engine/operation/operation.js';
import { fieldsOf } from '../../src/kernel/field/field.js';

describe('calls that wait for a person', () => {
  test('inputs of commands that are as secret as a password are hidden on cards', () => {
    const named = allOperations().flatMap(({ name, effect, input }) =>
      effect === 'query'
        ? []
        : [...fieldsOf(input)]
            .filter(([field, { type }]) => type === 'string' && /password|secret$|^value$|apiKey/i.test(field))
            .map(([field, spec]) => [`${name} ${field}`, spec.password]),
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(([, password]) => password !== true)).toEqual([]);
  });

  test('exactly the operations that may wait take a reason', () => {
    const taking = allOperations().filter(({ input }) =>
      /^Why the call is made/.test(fieldsOf(input).get('reason')?.description ?? ''),
    );
    expect(taking.map(({ name }) => name)).toEqual(
      allOperations()
        .filter(mayWait)
        .map(({ name }) => name),
    );
    expect(taking.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['automations/setFunctionIdentityMode', 'audit/undoChange', 'bases/deleteTable']),
    );
  });

  test('what is risky is frozen: a new operation shows in the diff', () => {
    const risky = allOperations().filter(isSometimesRisky);
    const words = (one: unknown) => (one === true ? 'always' : one === undefined ? 'never' : 'at times');
    const told = risky.map(
      ({ name, takesAway, risky: opens }) => `${name}: takes away ${words(takesAway)}, opens or gives ${words(opens)}`,
    );
    expect(told).toMatchSnapshot();
  });
});
