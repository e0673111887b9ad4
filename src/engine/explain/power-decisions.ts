import { Injectable } from '@nestjs/common';
import { type Owned, ownedBy, ownerOf } from '../../kernel/callers/function-owner.js';
import { mayHoldSealed } from '../../kernel/event/personal-data.js';
import type { PowerDecision } from '../../kernel/judging/decision.js';
import { Clock } from '../../ports/clock.port.js';
import { DecisionIds } from './decision-ids.js';

export interface DeniedByFunction extends Pick<PowerDecision, 'code' | 'member' | 'visitor'> {
  readonly workspaceId: string;
  readonly function: Owned & { readonly id: string };
  readonly sentence: string;
}

@Injectable()
export class PowerDecisions {
  constructor(
    private readonly ids: DecisionIds,
    private readonly clock: Clock,
  ) {}

  idOf({ workspaceId, function: fn, code, sentence, ...rest }: DeniedByFunction): string {
    return this.ids.idOf(workspaceId, {
      kind: 'power',
      at: new Date(this.clock.now()).toISOString(),
      code,
      functionId: fn.id,
      ...ownedBy(ownerOf(fn)),
      // A sentence may be truncated later, which would break sealed personal data in it. Such a sentence is replaced by
      // the code.
      sentence: mayHoldSealed(sentence) ? code : sentence,
      ...rest,
    });
  }
}
