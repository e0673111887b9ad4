import { permissionsOfRole, type Role } from '../../../kernel/callers/caller.js';
import { ownerIdOf } from '../owner-id.js';
import type { ApiKey } from './api-key.record.js';

type Made = Pick<ApiKey, 'workspaceId' | 'makers'>;

/**
 * The members who could be acting, apart from the member whom the key acts for (`actsFor`): those who made the key or
 * the agent. A key that the Owner made for another member counts as that member's own. A key that acts for nobody
 * (`actsFor` null) counts as its makers', the Owner included.
 */
export function countedMakers({ workspaceId, makers }: Made, actsFor: string | null): readonly string[] {
  const apart = actsFor === null ? [] : [actsFor, ownerIdOf(workspaceId)];
  return makers.filter((id) => !apart.includes(id));
}

export type LostMaker = 'maker-removed' | 'maker-demoted';

/** Why a key has stopped working. */
export type EndingReason = 'asked' | 'member-removed' | 'agent-removed' | LostMaker;

/**
 * Why a key has ended although nobody revoked it: a member who made it, and so may know it, has been removed or could
 * no longer make it. The member it acts for is not checked here, because their rights change with their role. `roleOf`:
 * undefined for a removed member.
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

/** What decides whether a workspace's keys have ended, apart from the keys themselves. */
export interface Standings {
  /** Undefined when the member has been removed. */
  roleOf(memberId: string): Role | undefined;
  /** Undefined when the agent has been removed. */
  personBehind(agentId: string): string | undefined;
}

/** Why a key that nobody has revoked does not work. Undefined when it does. */
export function endOf(key: ApiKey, { roleOf, personBehind }: Standings): EndingReason | undefined {
  const behind = key.agentId === null ? key.memberId : personBehind(key.agentId);
  if (behind === undefined) return 'agent-removed';
  if (behind !== null && roleOf(behind) === undefined) return 'member-removed';
  return lostMaker(key, behind, roleOf);
}
