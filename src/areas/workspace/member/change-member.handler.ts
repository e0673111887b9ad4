import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { type EndedKey, EndingKeys } from '../api-key/ending-keys.api.js';
import { roleOf } from '../rank.js';
import { removeMember, updateMember } from './member.js';
import { RemoveMember, UpdatedMember, UpdateMember } from './member.operations.js';
import { members } from './member.record.js';

/** Looks up the keys that end with a lower role, so that the caller is told of them. */
@CommandHandler(UpdateMember)
export class UpdateMemberHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly keys: EndingKeys,
  ) {}

  async execute(input: UpdateMember): Promise<UpdatedMember> {
    const call = callOf(input);
    const { workspaceId, at } = call;
    const { id, role } = input;
    const endedKeys = role === undefined ? [] : await this.keys.endingWith(workspaceId, id, role, at);
    const member = await this.runner.change(call, {
      aggregate: members,
      id,
      decide: (found) => (found ? updateMember(found, input, roleOf(call)) : []),
    });
    return shown(UpdatedMember, { ...(member ?? members.missing()), endedKeys });
  }
}

/** The keys stop working with the removal itself. A saga then records the end of each. */
@CommandHandler(RemoveMember)
export class RemoveMemberHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly keys: EndingKeys,
  ) {}

  async execute(input: RemoveMember): Promise<{ readonly success: true; readonly endedKeys: readonly EndedKey[] }> {
    const call = callOf(input);
    const endedKeys = await this.keys.endingWith(call.workspaceId, input.id, undefined, call.at);
    await this.runner.change(call, {
      aggregate: members,
      id: input.id,
      decide: (member) => (member ? removeMember(member, roleOf(call)) : []),
    });
    return { success: true, endedKeys };
  }
}
