import { Injectable } from '@nestjs/common';
import { EndingKeys, type HolderChange } from '../../areas/workspace/api-key/ending-keys.api.js';
import type { MemberEvent } from '../../areas/workspace/member/member.record.js';
import type { OperationContext } from '../../engine/operation/operation-context.js';
import type { Saga } from '../../engine/sagas/saga.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';

const creations = ['ApiKeyCreated', 'NarrowedApiKeyCreated'];

type Step = (step: string) => OperationContext;
type MemberUpdated = Extract<MemberEvent, { type: 'MemberUpdated' }>;

/**
 * Revokes API keys that a change of members or agents has made invalid: keys of a removed member or agent, keys of
 * agents that act for a removed member, and keys created by a member who was removed or may no longer create keys.
 * These keys stop working as soon as the change takes effect, because every call checks the key's member and creator.
 * Revoking makes this visible and permanent.
 */
@Injectable()
export class RemovedMembersLoseTheirKeys implements Saga {
  readonly name = 'removed-members-lose-their-keys';
  readonly reads = ['MemberRemoved', 'MemberUpdated', 'AgentRemoved', ...creations];

  constructor(private readonly ending: EndingKeys) {}

  async react(event: RecordedEvent, call: Step): Promise<void> {
    const { workspaceId, id } = parseStream(event.stream);
    if (creations.includes(event.type)) {
      const reason = await this.ending.endOfRecorded(workspaceId, id);
      if (reason !== undefined) await this.ending.revoke(call(id), id, reason);
      return;
    }
    if (event.type === 'MemberUpdated' && (event.data as MemberUpdated['data']).role === undefined) return;
    for (const { key, reason } of await this.ending.ended(workspaceId, changeOf(event))) {
      // If the event is processed again after the read store was lost, the member or agent may have returned since.
      const isLater = key.createdAt > event.metadata.at;
      if (isLater && (await this.ending.endOfRecorded(workspaceId, key.id)) === undefined) continue;
      await this.ending.revoke(call(key.id), key.id, reason);
    }
  }
}

/**
 * Returns the change that the event records. The caller applies it to the state in the read models, which may not
 * include the event yet.
 */
function changeOf({ type, stream, data }: RecordedEvent): HolderChange {
  const { id } = parseStream(stream);
  if (type === 'AgentRemoved') return { agentId: id };
  return { memberId: id, role: (data as MemberUpdated['data']).role };
}
