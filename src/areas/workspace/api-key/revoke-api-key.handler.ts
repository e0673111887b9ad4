import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { members } from '../member/member.record.js';
import { roleOf } from '../rank.js';
import { revokeApiKey } from './api-key.js';
import { RevokeApiKey } from './api-key.operations.js';
import { apiKeys } from './api-key.record.js';

/**
 * Looks up whose key it is, because only the Owner revokes the Owner's keys. An agent's key may be revoked by anyone
 * who manages keys.
 */
@CommandHandler(RevokeApiKey)
export class RevokeApiKeyHandler {
  constructor(private readonly runner: CommandRunner) {}

  async execute(input: RevokeApiKey): Promise<{ success: true }> {
    const call = callOf(input);
    const key = (await this.runner.find(apiKeys, call.workspaceId, input.id)) ?? apiKeys.missing();
    const member = key.memberId === null ? undefined : await this.runner.find(members, call.workspaceId, key.memberId);
    await this.runner.change(call, {
      aggregate: apiKeys,
      id: key.id,
      decide: (before) => (before ? revokeApiKey(before, 'asked', member?.role, roleOf(call)) : []),
    });
    return { success: true };
  }
}
