import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { GitSignature, NewCommit } from '../../../ports/offloaded/git-repositories.port.js';
import type { Member } from '../../workspace/member/member.record.js';
import type { Snapshot } from '../snapshot/snapshot.record.js';

@Injectable()
export class CommitAuthors {
  constructor(
    private readonly reads: Reads,
    private readonly personal: PersonalData,
    private readonly environment: Environment,
  ) {}

  /**
   * Unless `showEmail` is true, the author's address is one that receives no mail. The message ends with the id of the
   * newest snapshot, which identifies the point in the log that the commit represents.
   */
  async of(
    call: OperationContext,
    projectId: string,
    message: string,
    showEmail = false,
  ): Promise<Pick<NewCommit, 'message' | 'author' | 'at'>> {
    const [newest] = await this.reads.find<Snapshot>(call.workspaceId, 'snapshots', {
      where: { projectId },
      sort: [['position', 'desc']],
      limit: 1,
    });
    const trailer = newest === undefined ? '' : `\n\nCountersign-Snapshot: ${newest.id}`;
    const at = Math.floor(Date.parse(call.at) / 1_000);
    return { message: `${message.trim()}${trailer}\n`, author: await this.authorOf(call, showEmail), at };
  }

  private async authorOf({ workspaceId, actor }: OperationContext, showEmail: boolean): Promise<GitSignature> {
    const memberId = actor.personBehind?.id ?? actor.id;
    const member = showEmail ? await this.reads.get<Member>(workspaceId, 'members', memberId) : undefined;
    const [actorName, email] = await this.personal.opened(workspaceId, [actor.name, member?.email] as const);
    // These characters are not allowed in names in git.
    const name = actorName.replace(/[<>\p{Cc}]/gu, ' ').trim() || actor.kind;
    const host = URL.parse(this.environment.baseUrl)?.hostname ?? 'localhost';
    return { name, email: email ?? `${memberId}@noreply.${host}` };
  }
}
