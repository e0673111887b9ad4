import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { Role } from '../../../kernel/callers/caller.js';
import { Vault } from '../../../ports/vault.port.js';
import { agents } from '../agent/agent.record.js';
import { members } from '../member/member.record.js';
import { roleOf } from '../rank.js';
import { type ApiKeyInput, createApiKey, type Holder, holderOf } from './api-key.js';
import { apiKeys } from './api-key.record.js';
import { type CreatedApiKey, createdApiKey } from './api-key-view.js';
import { KeyReach } from './key-reach.js';
import { apiKeyOf, sealedKey } from './key-text.api.js';

@Injectable()
export class NewApiKeys {
  constructor(
    private readonly runner: CommandRunner,
    private readonly vault: Vault,
    private readonly reach: KeyReach,
  ) {}

  async create(call: OperationContext, input: ApiKeyInput): Promise<CreatedApiKey> {
    const { id: callerId = '', neverDeletes = false, expiresAt, areas, functions } = call.caller ?? {};
    const asker = { id: callerId, role: roleOf(call), neverDeletes, expiresAt, areas, functions };
    await this.reach.check(call.workspaceId, input);
    const holder = holderOf(input, asker);
    const behind = await this.roleBehind(call.workspaceId, holder);
    const id = call.newId('key');
    const key = apiKeyOf(call.newToken());
    const sealed = sealedKey(key, (text) => this.vault.derive(text));
    const created = await this.runner.change(call, {
      aggregate: apiKeys,
      id,
      begins: true,
      decide: () => createApiKey(input, holder, behind, sealed, asker, call.at),
    });
    return created ? createdApiKey(created, key, call.at) : apiKeys.missing();
  }

  private async roleBehind(workspaceId: string, { memberId, agentId }: Holder): Promise<Role | undefined> {
    const agent =
      agentId === null ? undefined : ((await this.runner.find(agents, workspaceId, agentId)) ?? agents.missing());
    const id = agent?.memberId ?? memberId;
    if (id === null) return undefined;
    return ((await this.runner.find(members, workspaceId, id)) ?? members.missing()).role;
  }
}
