import { Injectable } from '@nestjs/common';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import type { Starter } from '../../../kernel/starter.js';
import type { Member } from '../../workspace/member/member.events.js';

/** Who starts a run, for the code to see. A connection is the member it acts for. */
@Injectable()
export class Starters {
  constructor(private readonly reads: Reads) {}

  async of({ caller, actor, workspaceId }: Call): Promise<Starter> {
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
