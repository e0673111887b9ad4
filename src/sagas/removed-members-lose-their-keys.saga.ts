import { Injectable } from '@nestjs/common';
import { type Agent } from '../areas/workspace/agent/agent.events.js';
import { type ApiKey, apiKeys } from '../areas/workspace/api-key/api-key.events.js';
import { revokeApiKey } from '../areas/workspace/api-key/api-key.js';
import { CommandRunner } from '../engine/command-runner.js';
import type { Call } from '../engine/operation/call.js';
import { Reads } from '../engine/reads.js';
import type { Saga } from '../engine/saga-runner.js';
import { Watermark } from '../engine/watermark.js';
import type { RecordedEvent } from '../kernel/event.js';
import type { Where } from '../kernel/projection.js';
import { parseStream } from '../kernel/stream-name.js';

/**
 * The keys of a removed member or agent, and those of the agents that a removed member stood behind, are revoked. They
 * stopped working with the removal itself, because whom they act for is looked up at every call: this makes it show.
 */
@Injectable()
export class RemovedMembersLoseTheirKeys implements Saga {
  readonly name = 'removed-members-lose-their-keys';
  readonly reads = ['MemberRemoved', 'AgentRemoved'];

  constructor(
    private readonly reader: Reads,
    private readonly runner: CommandRunner,
    private readonly watermark: Watermark,
  ) {}

  async react(event: RecordedEvent, call: (step: string) => Call): Promise<void> {
    const { workspaceId, id } = parseStream(event.stream);
    // A key recorded just before the removal has to be seen, and read models may be a moment behind the log.
    if (!(await this.watermark.reached(event.position))) throw new Error('the read models are behind');
    if (event.type === 'AgentRemoved') return this.revoke(workspaceId, { agentId: id }, 'agent-removed', call);
    await this.revoke(workspaceId, { memberId: id }, 'member-removed', call);
    const ofMember = await this.reader.find<Agent>(workspaceId, 'agents', { where: { memberId: id } });
    for (const agent of ofMember) await this.revoke(workspaceId, { agentId: agent.id }, 'member-removed', call);
  }

  private async revoke(
    workspaceId: string,
    whose: Where,
    reason: 'member-removed' | 'agent-removed',
    call: (step: string) => Call,
  ): Promise<void> {
    const where = { ...whose, revokedAt: null };
    for (const { id } of await this.reader.find<ApiKey>(workspaceId, 'apiKeys', { where })) {
      await this.runner.change(call(id), {
        aggregate: apiKeys,
        id,
        decide: (key) => (key ? revokeApiKey(key, reason) : []),
      });
    }
  }
}
