import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import '../../../app.module.js';
import { runs } from '../../../../test/support/depth.js';
import { authorise, requiredRights } from '../../../engine/authorisation/authorisation.js';
import { judgedCaller } from '../../../engine/explain/rights-decisions.js';
import { allOperations } from '../../../engine/operation/operation.js';
import {
  type Caller,
  callerKinds,
  grantablePermissions,
  type Permission,
  permissionsOfRole,
} from '../../../kernel/callers/caller.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { judgedChecks, type NeededRightsChange, permissionsOf, rightsChanges } from './rights-change.js';

const callers: fc.Arbitrary<Caller> = fc
  .record({
    kind: fc.constantFrom(...callerKinds),
    role: fc.constantFrom('owner' as const, 'admin' as const, 'editor' as const, 'viewer' as const),
    granted: fc.subarray([...grantablePermissions]),
    readOnly: fc.boolean(),
    neverDeletes: fc.boolean(),
  })
  .map(({ granted, ...rest }) => ({
    ...rest,
    id: 'mem_1',
    name: 'Anna',
    workspaceId: 'ws_1',
    keyId: 'key_1',
    permissions: new Set<Permission>([...permissionsOfRole[rest.role], ...granted]),
  }));

const refusalOf = (operation: Parameters<typeof authorise>[0], caller: Caller): string | undefined => {
  try {
    authorise(operation, caller);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
};

function after(caller: Caller, changes: readonly NeededRightsChange[]): Caller {
  const sets = changes.map(({ set }) => set);
  const roles = sets.flatMap(({ role }) => (role === undefined ? [] : permissionsOfRole[role]));
  const grants = sets.flatMap(({ grant }) => (grant === undefined ? [] : [grant]));
  return Object.assign({ ...caller }, ...sets, { permissions: new Set([...caller.permissions, ...roles, ...grants]) });
}

test('property: the checks explain the refusal, and the smallest change admits the refused caller', () => {
  let refused = 0;
  fc.assert(
    fc.property(callers, fc.constantFrom(...allOperations()), (caller, operation) => {
      const decision = { operation: operation.name, asked: requiredRights(operation), caller: judgedCaller(caller) };
      expect(permissionsOf(decision.caller)).toEqual(caller.permissions);
      const failed = judgedChecks(decision).filter(({ isMet }) => !isMet);
      expect(failed[0]?.code).toBe(refusalOf(operation, caller));
      const changes = rightsChanges(decision, 'Anna');
      if (failed.length === 0) {
        expect(changes).toEqual([]);
        return;
      }
      refused += 1;
      expect(refusalOf(operation, after(caller, changes))).toBeUndefined();
      for (const one of changes) {
        expect(
          refusalOf(
            operation,
            after(
              caller,
              changes.filter((other) => other !== one),
            ),
          ),
        ).toBeDefined();
      }
    }),
    { numRuns: runs(5_000) },
  );
  expect(refused).toBeGreaterThan(100);
});
