import { describe, expect, it } from '@jest/globals';
import '../../src/app.module.js';
import { allOperations, findOperation } from '../../src/engine/operation/operation.js';
import { recordCategories, recordKind } from '../../src/kernel/record/record.js';

describe('what a project lets agents use', () => {
  it('is said by groups, and every operation is of one', () => {
    const groups = Map.groupBy(allOperations(), ({ group }) => group);
    expect([...groups].map(([group, all]) => `${group}: ${all.map(({ name }) => name).join(' ')}`)).toMatchSnapshot();
  });

  it('has one key for each operation, apart from operations that exist for both workspace and site functions', () => {
    const keys = Map.groupBy(allOperations(), ({ group, name }) => `${group}:${name.split('/')[1]}`);
    const several = [...keys].filter(([, all]) => all.length > 1).map(([key]) => key);
    expect(several.toSorted()).toEqual([
      'env-vars:deleteEnvVar',
      'env-vars:listEnvVars',
      'function-powers:setFunctionCapabilities',
      'function-powers:setFunctionIdentityMode',
      'function-powers:setFunctionSecrets',
    ]);
  });

  it('names for each kind of record an existing operation that shows it, or null', () => {
    const wrong = recordCategories().filter((kind) => {
      const name = recordKind(kind)?.shownBy;
      return name === undefined || (name !== null && findOperation(name) === undefined);
    });
    expect(wrong).toEqual([]);
  });
});
