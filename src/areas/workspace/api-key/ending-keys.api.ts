import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Role } from '../../../kernel/callers/caller.js';
import { type Agent, agents } from '../agent/agent.record.js';
import { type Member, members } from '../member/member.record.js';
import { revokeApiKey } from './api-key.js';
import { type ApiKey, apiKeys } from './api-key.record.js';
import type { EndingReason } from './key-makers.js';
import { HolderStates, keyEndingReason } from './key-makers.js';

/** An undefined `role` means that the member was removed. */
export type HolderChange =
  | { readonly memberId: string; readonly role: Role | undefined }
  | { readonly agentId: string };

function changed({ roleOf, personBehind }: HolderStates, change: HolderChange): HolderStates {
  if ('memberId' in change) {
    return { personBehind, roleOf: (id) => (id === change.memberId ? change.role : roleOf(id)) };
  }
  return { roleOf, personBehind: (id) => (id === change.agentId ? undefined : personBehind(id)) };
}

export interface EndedKey {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
}

/**
 * Finds and revokes keys that end because a member or agent was removed or changed. The authenticator refuses such keys
 * even before they are revoked, because it applies the same rules to every call.
 */
@Injectable()
export class EndingKeys {
  constructor(
    private readonly reads: Reads,
    private readonly runner: CommandRunner,
  ) {}

  async holderStates(workspaceId: string): Promise<HolderStates> {
    const [members, agents] = await Promise.all([
      this.reads.find<Member>(workspaceId, 'members'),
      this.reads.find<Agent>(workspaceId, 'agents'),
    ]);
    const roles = new Map(members.map(({ id, role }) => [id, role]));
    const people = new Map(agents.map(({ id, memberId }) => [id, memberId]));
    return { roleOf: (id) => roles.get(id), personBehind: (id) => people.get(id) };
  }

  async ended(
    workspaceId: string,
    change: HolderChange,
  ): Promise<readonly { readonly key: ApiKey; readonly reason: EndingReason }[]> {
    const states = changed(await this.holderStates(workspaceId), change);
    return (await this.open(workspaceId)).flatMap((key) => {
      const reason = keyEndingReason(key, states);
      return reason === undefined ? [] : [{ key, reason }];
    });
  }

  async endingWith(
    workspaceId: string,
    memberId: string,
    role: Role | undefined,
    now: string,
  ): Promise<readonly EndedKey[]> {
    const before = await this.holderStates(workspaceId);
    const after = changed(before, { memberId, role });
    const open = (await this.open(workspaceId)).filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
    return open
      .filter((key) => keyEndingReason(key, before) === undefined && keyEndingReason(key, after) !== undefined)
      .map(({ id, name, kind }) => ({ id, name, kind }));
  }

  /** Reads the current records, not the read model. */
  async endOfRecorded(workspaceId: string, id: string): Promise<EndingReason | undefined> {
    const key = await this.runner.find(apiKeys, workspaceId, id);
    if (key === undefined || key.revokedAt !== null) return undefined;
    const agent = key.agentId === null ? undefined : await this.runner.find(agents, workspaceId, key.agentId);
    const behind = agent?.memberId ?? key.memberId;
    const roles = new Map<string, Role | undefined>();
    for (const one of [...key.makers, ...(behind === null ? [] : [behind])]) {
      roles.set(one, (await this.runner.find(members, workspaceId, one))?.role);
    }
    return keyEndingReason(key, { roleOf: (one) => roles.get(one), personBehind: () => agent?.memberId });
  }

  /** Idempotent. */
  async revoke(call: OperationContext, id: string, reason: EndingReason): Promise<void> {
    await this.runner.change(call, {
      aggregate: apiKeys,
      id,
      decide: (key) => (key ? revokeApiKey(key, reason) : []),
    });
  }

  private open(workspaceId: string): Promise<readonly ApiKey[]> {
    return this.reads.find<ApiKey>(workspaceId, 'apiKeys', {
      where: { revokedAt: null },
      sort: [['createdAt', 'asc']],
    });
  }
}
