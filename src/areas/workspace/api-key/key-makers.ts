import { permissionsOfRole, type Role } from '../../../kernel/callers/caller.js';
import { ownerIdOf } from '../owner-id.js';
import type { ApiKey } from './api-key.record.js';

type Made = Pick<ApiKey, 'workspaceId' | 'makers'>;

/**
 * Returns members who may be using the key, in addition to the member that it acts for (`actsFor`): they created the
 * key or its agent, so they may know it. If the key acts for a member, the Owner is omitted. If it acts for no member,
 * all creators are returned, including the Owner.
 */
export function countedMakers({ workspaceId, makers }: Made, actsFor: string | null): readonly string[] {
  const apart = actsFor === null ? [] : [actsFor, ownerIdOf(workspaceId)];
  return makers.filter((id) => !apart.includes(id));
}

export type LostMaker = 'maker-removed' | 'maker-demoted';

/** The reason why a key has stopped working. */
export type EndingReason = 'asked' | 'member-removed' | 'agent-removed' | LostMaker;

/**
 * Returns why a key that was not revoked has ended: a member who created it, and therefore may know it, was removed or
 * is no longer allowed to create keys. Returns undefined if this is not the case. Does not check the member that the
 * key acts for, because the key's rights follow that member's role.
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

/** Roles of members and people behind agents, which decide whether a key still works. */
export interface HolderStates {
  /** Returns undefined if the member was removed. */
  roleOf(memberId: string): Role | undefined;
  /** Returns the id of the person behind the agent, or undefined if the agent was removed. */
  personBehind(agentId: string): string | undefined;
}

/** Returns why a key that was not revoked does not work, or undefined if it works. */
export function keyEndingReason(key: ApiKey, { roleOf, personBehind }: HolderStates): EndingReason | undefined {
  const behind = key.agentId === null ? key.memberId : personBehind(key.agentId);
  if (behind === undefined) return 'agent-removed';
  if (behind !== null && roleOf(behind) === undefined) return 'member-removed';
  return lostMaker(key, behind, roleOf);
}
