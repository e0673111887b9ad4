import {
  type Caller,
  type CallerKind,
  callerKinds,
  grantablePermissions,
  type Permission,
  permissionsOfRole,
  type Role,
} from '../../kernel/callers/caller.js';
import type { OperationSpec } from '../operation/operation.js';
import { failedCheck, type RightsCheck } from './authorisation.js';

export interface CallerTraits {
  readonly kind: CallerKind;
  readonly role: Role;
  readonly granted: boolean;
  readonly readOnly: boolean;
  readonly neverDeletes: boolean;
}

export type RightsVerdict = 'yes' | RightsCheck['code'];

type Judged = OperationSpec & { readonly name: string };

const roles: readonly Role[] = ['owner', 'admin', 'editor', 'viewer'];
const flags = [false, true] as const;

export function traitsFor({ permission }: Judged): readonly CallerTraits[] {
  const grants = isGrantable(permission) ? flags : [false];
  return callerKinds.flatMap((kind) =>
    roles.flatMap((role) =>
      grants.flatMap((granted) =>
        flags.flatMap((readOnly) => flags.map((neverDeletes) => ({ kind, role, granted, readOnly, neverDeletes }))),
      ),
    ),
  );
}

/** Returns the result of the rights checks. The operation itself can still refuse the call. */
export function verdictOn(operation: Judged, traits: CallerTraits): RightsVerdict {
  return failedCheck(operation, callerOf(operation, traits)) ?? 'yes';
}

function callerOf({ permission }: Judged, { granted, role, ...traits }: CallerTraits): Caller {
  const permissions = new Set<Permission>([...permissionsOfRole[role], ...(granted ? [permission] : [])]);
  return { ...traits, role, permissions, id: 'x', name: 'X', workspaceId: 'x', keyId: 'x' };
}

const isGrantable = (permission: Permission) => grantablePermissions.some((one) => one === permission);
