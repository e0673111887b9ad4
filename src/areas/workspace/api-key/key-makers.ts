import { permissionsOfRole, type Role } from '../../../kernel/callers/caller.js';
import { ownerIdOf } from '../owner-id.js';
import type { ApiKey } from './api-key.record.js';

type Made = Pick<ApiKey, 'workspaceId' | 'makers'>;

/**
 * Members who may know the key, because they created it or its agent. If the key acts for a member, that member and the
 * Owner are omitted.
 */
export function countedMakers({ workspaceId, makers }: Made, actsFor: string | null): readonly string[] {
  const apart = actsFor === null ? [] : [actsFor, ownerIdOf(workspaceId)];
  return makers.filter((id) => !apart.includes(id));
}

export type LostMaker = 'maker-removed' | 'maker-demoted';

export type EndingReason = 'asked' | 'member-removed' | 'agent-removed' | LostMaker;

/**
 * A key ends when a member who created it, and so may know it, is removed or may no longer create keys. The member that
 * the key acts for is not checked, because the key's rights follow that member's role.
 * @param roleOf returns undefined for a removed member
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

export interface HolderStates {
  roleOf(memberId: string): Role | undefined;
  personBehind(agentId: string): string | undefined;
}

export function keyEndingReason(key: ApiKey, { roleOf, personBehind }: HolderStates): EndingReason | undefined {
  const behind = key.agentId === null ? key.memberId : personBehind(key.agentId);
  if (behind === undefined) return 'agent-removed';
  if (behind !== null && roleOf(behind) === undefined) return 'member-removed';
  return lostMaker(key, behind, roleOf);
}
