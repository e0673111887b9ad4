import { Injectable } from '@nestjs/common';
import { type Agent, agents } from '../areas/workspace/agent/agent.events.js';
import { type ApiKey, type ApiKeyEvent, apiKeys } from '../areas/workspace/api-key/api-key.events.js';
import { revokeApiKey } from '../areas/workspace/api-key/api-key.js';
import { members } from '../areas/workspace/member/member.events.js';
import { CommandRunner } from '../engine/command-runner.js';
import type { Call } from '../engine/operation/call.js';
import { Reads } from '../engine/reads.js';
import type { Saga } from '../engine/saga-runner.js';
import type { RecordedEvent } from '../kernel/event.js';
import type { Where } from '../kernel/projection.js';
import { parseStream } from '../kernel/stream-name.js';

type Reason = 'member-removed' | 'agent-removed';
type Step = (step: string) => Call;
type ApiKeyCreated = Extract<ApiKeyEvent, { type: 'ApiKeyCreated' }>;

/**
 * The keys of a removed member or agent, and those of the agents that a removed member stood behind, are revoked. They
 * stopped working with the removal itself, because whom they act for is looked up at every call: this makes it show.
 * A key that was being made while its holder was removed is recorded after the removal, and revoked when it is met.
 */
@Injectable()
export class RemovedMembersLoseTheirKeys implements Saga {
  readonly name = 'removed-members-lose-their-keys';
  readonly reads = ['MemberRemoved', 'AgentRemoved', 'ApiKeyCreated'];

  constructor(
    private readonly reader: Reads,
    private readonly runner: CommandRunner,
  ) {}

  async react(event: RecordedEvent, call: Step): Promise<void> {
    const { workspaceId, id } = parseStream(event.stream);
    if (event.type === 'ApiKeyCreated') return this.meet(workspaceId, id, event as unknown as ApiKeyCreated, call);
    if (event.type === 'AgentRemoved') return this.revokeAll(workspaceId, { agentId: id }, 'agent-removed', call);
    await this.revokeAll(workspaceId, { memberId: id }, 'member-removed', call);
    const ofMember = await this.reader.find<Agent>(workspaceId, 'agents', { where: { memberId: id } });
    for (const agent of ofMember) await this.revokeAll(workspaceId, { agentId: agent.id }, 'member-removed', call);
  }

  private async meet(workspaceId: string, id: string, { data }: ApiKeyCreated, call: Step): Promise<void> {
    const { memberId, agentId } = data;
    const agent = agentId === null ? undefined : await this.runner.find(agents, workspaceId, agentId);
    if (agentId !== null && agent === undefined) return this.revoke(id, 'agent-removed', call);
    const behind = agent?.memberId ?? memberId;
    if (behind === null || (await this.runner.find(members, workspaceId, behind)) !== undefined) return;
    await this.revoke(id, 'member-removed', call);
  }

  private async revokeAll(workspaceId: string, whose: Where, reason: Reason, call: Step): Promise<void> {
    const where = { ...whose, revokedAt: null };
    for (const { id } of await this.reader.find<ApiKey>(workspaceId, 'apiKeys', { where })) {
      await this.revoke(id, reason, call);
    }
  }

  private async revoke(id: string, reason: Reason, call: Step): Promise<void> {
    await this.runner.change(call(id), {
      aggregate: apiKeys,
      id,
      decide: (key) => (key ? revokeApiKey(key, reason) : []),
    });
  }
}
