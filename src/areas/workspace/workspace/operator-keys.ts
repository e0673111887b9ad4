import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, operator } from '../../../engine/operation/calls.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { CallerKind } from '../../../kernel/callers/caller.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { Vault } from '../../../ports/vault.port.js';
import { type AgentEvent, agents } from '../agent/agent.record.js';
import { type ApiKeyEvent, apiKeys } from '../api-key/api-key.record.js';
import { apiKeyOf, sealedKey } from '../api-key/key-text.api.js';
import { members } from '../member/member.record.js';
import { Owners } from './owner.js';
import { workspaces } from './workspace.record.js';

/** Input of the command `keys:create` (settled question Q-L16). */
export interface OperatorKey {
  readonly workspaceId: string;
  readonly kind: CallerKind;
  readonly name?: string | undefined;
  /**
   * The key of a person or a connection has this member's rights. If the key is for a new agent, the agent acts for this
   * member. Default: the Owner.
   */
  readonly memberId?: string | undefined;
  /** If omitted for an agent's key, a new agent is created. */
  readonly agentId?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly neverDeletes?: boolean | undefined;
}

@Injectable()
export class OperatorKeys {
  constructor(
    private readonly runner: CommandRunner,
    private readonly calls: Calls,
    private readonly vault: Vault,
    private readonly owners: Owners,
  ) {}

  async create(request: OperatorKey): Promise<{ readonly id: string; readonly key: string }> {
    const {
      workspaceId,
      kind,
      name = `Made by the operator (${kind})`,
      readOnly = false,
      neverDeletes = false,
    } = request;
    if ((await this.runner.find(workspaces, workspaceId, workspaceId)) === undefined) workspaces.missing();
    const call = this.calls.once(workspaceId, operator, 'workspace/createKey');
    const holder = await this.holder(call, request);
    const id = call.newId('key');
    const key = apiKeyOf(call.newToken());
    const sealed = sealedKey(key, (text) => this.vault.derive(text));
    const data = { name, kind, ...holder, readOnly, neverDeletes, expiresAt: null, ...sealed };
    await this.runner.change(call, {
      aggregate: apiKeys,
      id,
      begins: true,
      decide: (): readonly ApiKeyEvent[] => [{ type: 'ApiKeyCreated', data }],
    });
    return { id, key };
  }

  private async holder(call: OperationContext, request: OperatorKey) {
    if (request.agentId !== undefined && request.kind !== 'agent') {
      refuseInput([{ path: 'agentId', message: `must not be sent for the kind ${request.kind}` }]);
    }
    switch (request.kind) {
      case 'person':
      case 'connection':
        return { memberId: await this.member(request), agentId: null };
      case 'agent':
        return { memberId: null, agentId: await this.agent(call, request) };
      case 'automation':
      case 'flow':
        if (request.memberId === undefined) return { memberId: null, agentId: null };
        return refuseInput([{ path: 'memberId', message: `must not be sent for the kind ${request.kind}` }]);
    }
  }

  private async member({ workspaceId, memberId }: OperatorKey): Promise<string> {
    if (memberId === undefined) return this.owners.ensure(workspaceId, { name: 'Owner', email: 'owner@localhost' });
    return ((await this.runner.find(members, workspaceId, memberId)) ?? members.missing()).id;
  }

  private async agent(call: OperationContext, request: OperatorKey): Promise<string> {
    if (request.agentId !== undefined) {
      return ((await this.runner.find(agents, request.workspaceId, request.agentId)) ?? agents.missing()).id;
    }
    const memberId = await this.member(request);
    const data = { name: request.name ?? 'Agent', memberId, canCreateFunctions: false, grants: {}, isActive: true };
    const id = call.newId('agent');
    await this.runner.change(call, {
      aggregate: agents,
      id,
      begins: true,
      decide: (): readonly AgentEvent[] => [{ type: 'AgentAdded', data }],
    });
    return id;
  }
}
