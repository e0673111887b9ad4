import { Injectable } from '@nestjs/common';
import { agents } from '../areas/workspace/agent/agent.record.js';
import { type EndingReason, revokeApiKey } from '../areas/workspace/api-key/api-key.js';
import { apiKeys } from '../areas/workspace/api-key/api-key.record.js';
import { EndingKeys, type StandingChange } from '../areas/workspace/ending-keys.js';
import { lostMaker } from '../areas/workspace/key-makers.js';
import { type MemberEvent, members } from '../areas/workspace/member/member.record.js';
import { CommandRunner } from '../engine/command-runner.js';
import type { Call } from '../engine/operation/call.js';
import type { Saga } from '../engine/saga-runner.js';
import type { Role } from '../kernel/caller.js';
import type { RecordedEvent } from '../kernel/event.js';
import { parseStream } from '../kernel/stream-name.js';

type Step = (step: string) => Call;
type MemberUpdated = Extract<MemberEvent, { type: 'MemberUpdated' }>;

/**
 * Revokes the keys of a removed member or agent, those of the agents behind which a removed member was, and those made
 * by a member who was removed or may no longer make keys. They stopped working with the change itself, because every
 * call looks up whom a key acts for and who made it. Revoking makes this visible and permanent. A key made at the same
 * time is recorded after the change, and revoked when this saga reaches it.
 */
@Injectable()
export class RemovedMembersLoseTheirKeys implements Saga {
  readonly name = 'removed-members-lose-their-keys';
  readonly reads = ['MemberRemoved', 'MemberUpdated', 'AgentRemoved', 'ApiKeyCreated'];

  constructor(
    private readonly ending: EndingKeys,
    private readonly runner: CommandRunner,
  ) {}

  async react(event: RecordedEvent, call: Step): Promise<void> {
    const { workspaceId, id } = parseStream(event.stream);
    if (event.type === 'ApiKeyCreated') return this.meet(workspaceId, id, call);
    if (event.type === 'MemberUpdated' && (event.data as MemberUpdated['data']).role === undefined) return;
    for (const { key, reason } of await this.ending.ended(workspaceId, changeOf(event)))
      await this.revoke(key.id, reason, call);
  }

  private async meet(workspaceId: string, id: string, call: Step): Promise<void> {
    const key = await this.runner.find(apiKeys, workspaceId, id);
    if (key === undefined || key.revokedAt !== null) return;
    const agent = key.agentId === null ? undefined : await this.runner.find(agents, workspaceId, key.agentId);
    if (key.agentId !== null && agent === undefined) return this.revoke(id, 'agent-removed', call);
    const behind = agent?.memberId ?? key.memberId;
    const roles = new Map<string, Role | undefined>();
    for (const one of [...key.makers, ...(behind === null ? [] : [behind])]) {
      roles.set(one, (await this.runner.find(members, workspaceId, one))?.role);
    }
    if (behind !== null && roles.get(behind) === undefined) return this.revoke(id, 'member-removed', call);
    const reason = lostMaker(key, behind, (one) => roles.get(one));
    if (reason !== undefined) await this.revoke(id, reason, call);
  }

  private async revoke(id: string, reason: EndingReason, call: Step): Promise<void> {
    await this.runner.change(call(id), {
      aggregate: apiKeys,
      id,
      decide: (key) => (key ? revokeApiKey(key, reason) : []),
    });
  }
}

/** The read models may not show the change yet. */
function changeOf({ type, stream, data }: RecordedEvent): StandingChange {
  const { id } = parseStream(stream);
  if (type === 'AgentRemoved') return { agentId: id };
  return { memberId: id, role: (data as MemberUpdated['data']).role };
}
