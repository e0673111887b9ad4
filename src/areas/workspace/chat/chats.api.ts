import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { type Chat, type ChatEvent, chats } from './chat.record.js';

@Injectable()
export class Chats {
  constructor(
    private readonly reads: Reads,
    private readonly runner: CommandRunner,
    private readonly calls: Calls,
  ) {}

  /** Idempotent. */
  async endOf(workspaceId: string, memberId: string): Promise<void> {
    const found = await this.reads.find<Chat>(workspaceId, chats.collection.name, { where: { memberId } });
    for (const { id } of found) {
      const call = this.calls.once(workspaceId, systemActor('removed-members-take-their-chats'), 'removeMember');
      await this.runner.change<Chat | undefined, ChatEvent>(call, {
        aggregate: chats,
        id,
        begins: 'perhaps',
        decide: (before) => (before === undefined ? [] : chats.deleted(before)),
      });
    }
  }
}
