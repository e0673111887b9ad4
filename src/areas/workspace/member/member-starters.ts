import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import { type RunRequester, Starters } from '../../../engine/scopes/starters.js';
import type { Starter } from '../../../kernel/callers/starter.js';
import type { Member } from './member.record.js';

@Injectable()
export class MemberStarters extends Starters {
  constructor(private readonly reads: Reads) {
    super();
  }

  override async of({ caller, actor, workspaceId, starter }: RunRequester): Promise<Starter> {
    if (starter !== undefined) return starter;
    const { id, name, kind } = caller ?? actor;
    switch (kind) {
      case 'agent':
        return { kind, id, name, person: actor.personBehind ?? { id: '', name: '' } };
      case 'automation':
      case 'flow':
        return { kind, id, name };
      default:
        return this.member(workspaceId, actor.personBehind?.id ?? id, name, caller?.role ?? 'viewer');
    }
  }

  private async member(workspaceId: string, id: string, name: string, role: string): Promise<Starter> {
    const member = await this.reads.get<Member>(workspaceId, 'members', id);
    return { kind: 'member', id, name: member?.name ?? name, role: member?.role ?? role, email: member?.email ?? '' };
  }
}
