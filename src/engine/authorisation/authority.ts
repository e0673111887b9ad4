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

/** Everything that callers are told apart by before an operation is run. */
export interface Standing {
  readonly kind: CallerKind;
  readonly role: Role;
  /** A member has the operation's right by a grant of their own. */
  readonly granted: boolean;
  readonly readOnly: boolean;
  readonly neverDeletes: boolean;
}

/** Let in, or the code of the refusal. */
export type Verdict = 'yes' | RightsCheck['code'];

type Judged = OperationSpec & { readonly name: string };

const roles: readonly Role[] = ['owner', 'admin', 'editor', 'viewer'];
const flags = [false, true] as const;

/** Every standing that a caller of this operation can have. */
export function standingsFor({ permission }: Judged): readonly Standing[] {
  const grants = isGrantable(permission) ? flags : [false];
  return callerKinds.flatMap((kind) =>
    roles.flatMap((role) =>
      grants.flatMap((granted) =>
        flags.flatMap((readOnly) => flags.map((neverDeletes) => ({ kind, role, granted, readOnly, neverDeletes }))),
      ),
    ),
  );
}

/** What the pipeline says to somebody of this standing. What happens to their input afterwards is not judged here. */
export function verdictOn(operation: Judged, standing: Standing): Verdict {
  return failedCheck(operation, callerOf(operation, standing)) ?? 'yes';
}

function callerOf({ permission }: Judged, { granted, role, ...standing }: Standing): Caller {
  const permissions = new Set<Permission>([...permissionsOfRole[role], ...(granted ? [permission] : [])]);
  return { ...standing, role, permissions, id: 'x', name: 'X', workspaceId: 'x', keyId: 'x' };
}

const isGrantable = (permission: Permission) => grantablePermissions.some((one) => one === permission);
