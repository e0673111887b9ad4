import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, operator } from '../../../engine/operation/calls.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { derivedUuid } from '../../../kernel/event/derived-id.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { type MemberEvent, memberEmail, members } from '../member/member.record.js';
import { ownerIdOf } from '../owner-id.js';
import { refuse } from '../workspace.refusals.js';

/** Each step has a command id that is the same in every attempt, so a repeated step takes effect only once. */
export function foundingCall(calls: Calls, workspaceId: string, step: string): OperationContext {
  const correlationId = derivedUuid(`founding/${workspaceId}`);
  const commandId = derivedUuid(`founding/${workspaceId}/${step}`);
  return { ...calls.once(workspaceId, operator, 'workspace/found'), commandId, correlationId, repeatable: true };
}

@Injectable()
export class Owners {
  constructor(
    private readonly runner: CommandRunner,
    private readonly calls: Calls,
  ) {}

  async ensure(
    workspaceId: string,
    { name, email }: { readonly name: string; readonly email: string },
  ): Promise<string> {
    const id = ownerIdOf(workspaceId);
    const holder = streamOf(members.category, workspaceId, id);
    await this.runner.change(foundingCall(this.calls, workspaceId, 'owner'), {
      aggregate: members,
      id,
      begins: true,
      decide: (member): readonly MemberEvent[] =>
        member ? [] : [{ type: 'MemberAdded', data: { name, email, role: 'owner', permissions: [] } }],
      reserves: () => [
        { reservation: memberEmail(email, holder), taken: () => refuse('member-email-taken', { email }) },
      ],
    });
    return id;
  }
}
