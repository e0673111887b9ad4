import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import type { GitSignature, NewCommit } from '../../../ports/offloaded/git-repositories.port.js';
import { formerMember, type Member, members } from '../../workspace/member/member.record.js';
import type { Snapshot } from '../snapshot/snapshot.record.js';

@Injectable()
export class CommitAuthors {
  constructor(
    private readonly reads: Reads,
    private readonly loader: AggregateLoader,
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

  /**
   * Returns the names to show, in the given order. A commit cannot be changed, so the name of a member who was removed
   * is still in it.
   */
  async shown(workspaceId: string, authors: readonly GitSignature[]): Promise<readonly string[]> {
    const ids = [...new Set(authors.flatMap(({ email }) => memberIn(email) ?? []))];
    const there = await this.reads.find<Member>(workspaceId, 'members', { where: { id: { in: ids } } });
    const missing = ids.filter((id) => !there.some((member) => member.id === id));
    const loads = missing.map((id) => this.loader.load(members, streamOf(members.category, workspaceId, id)));
    // A commit that was pulled can be by a member of another workspace, who is unknown here.
    const wasHere = (await Promise.all(loads)).map(({ state, revision }) => state === undefined && revision >= 0);
    const former = new Set(missing.filter((_, index) => wasHere[index]));
    return authors.map(({ name, email }) => (former.has(memberIn(email) ?? '') ? formerMember : name));
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

/** The id in an address that this service made up for a member. */
const memberIn = (email: string): string | undefined => /^(mem_[0-9a-z]{26})@noreply\./.exec(email)?.[1];
