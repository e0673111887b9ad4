import { permissionsOfRole, type Role } from '../../kernel/caller.js';
import type { ApiKey } from './api-key/api-key.record.js';
import { ownerIdOf } from './owner-id.js';

type Made = Pick<ApiKey, 'workspaceId' | 'makers'>;

/**
 * The members who could act as who acts here, beside themselves: those who made the key, or the agent. `actsFor` is the
 * member whom it acts for. What the Owner made for another member counts as that member's own; a key that acts for
 * nobody (`actsFor` null) counts as whoever's made it, the Owner included.
 */
export function countedMakers({ workspaceId, makers }: Made, actsFor: string | null): readonly string[] {
  const apart = actsFor === null ? [] : [actsFor, ownerIdOf(workspaceId)];
  return makers.filter((id) => !apart.includes(id));
}

export type LostMaker = 'maker-removed' | 'maker-demoted';

/**
 * Why a key has ended although nobody revoked it: a member who made it, and so knows it or may, is gone, or could not
 * make it any more. Whom it acts for is not asked: their own rights go with their role. `roleOf`: undefined when gone.
 */
export function lostMaker(
  { makers }: Pick<ApiKey, 'makers'>,
  actsFor: string | null,
  roleOf: (memberId: string) => Role | undefined,
): LostMaker | undefined {
  const roles = makers.filter((id) => id !== actsFor).map(roleOf);
  if (roles.includes(undefined)) return 'maker-removed';
  const mayStill = (role: Role | undefined) => role !== undefined && permissionsOfRole[role].includes('keys.manage');
  return roles.every(mayStill) ? undefined : 'maker-demoted';
}
