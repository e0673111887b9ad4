import { permissionsOfRole, type Role } from '../../../kernel/callers/caller.js';
import { ownerIdOf } from '../owner-id.js';
import type { ApiKey } from './api-key.record.js';

type Made = Pick<ApiKey, 'workspaceId' | 'makers'>;

/**
 * The members who could be acting, in addition to the member that the key acts for (`actsFor`): those who created the
 * key or the agent. A key that the Owner created for another member is treated as that member's own. A key that acts
 * for no member (`actsFor` null) is treated as its creators', including the Owner.
 */
export function countedMakers({ workspaceId, makers }: Made, actsFor: string | null): readonly string[] {
  const apart = actsFor === null ? [] : [actsFor, ownerIdOf(workspaceId)];
  return makers.filter((id) => !apart.includes(id));
}

export type LostMaker = 'maker-removed' | 'maker-demoted';

/** Why a key has stopped working. */
export type EndingReason = 'asked' | 'member-removed' | 'agent-removed' | LostMaker;

/**
 * Why a key has ended without revocation: a member who created it, and so may know it, was removed or could no longer
 * create it. The member that it acts for is not checked here, because the key's rights change with that member's role.
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

/** The states of members and agents that decide whether a workspace's keys have ended. */
export interface HolderStates {
  /** Returns undefined if the member was removed. */
  roleOf(memberId: string): Role | undefined;
  /** Returns undefined if the agent was removed. */
  personBehind(agentId: string): string | undefined;
}

/** Returns why a key that was not revoked does not work, or undefined if it works. */
export function keyEndingReason(key: ApiKey, { roleOf, personBehind }: HolderStates): EndingReason | undefined {
  const behind = key.agentId === null ? key.memberId : personBehind(key.agentId);
  if (behind === undefined) return 'agent-removed';
  if (behind !== null && roleOf(behind) === undefined) return 'member-removed';
  return lostMaker(key, behind, roleOf);
}
