import { Injectable } from '@nestjs/common';
import type { TargetKind } from '../../kernel/callers/target.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import { scopeOf } from '../../kernel/record/aggregate.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import type { Call } from '../operation/call.js';
import { refuse } from '../refusals/engine.refusals.js';
import { Scopes } from '../scopes/scopes.js';
import { Targets } from '../scopes/targets.js';
import { CommandRunner } from './command-runner.js';
import { RecordLimit } from './record-limit.js';
import { namesTakenAgain } from './returning-names.js';

/** Brings back records that were ended, under their ids and with their former state. */
@Injectable()
export class Returns {
  private readonly demanded = new Map<string, Demand>();

  constructor(
    private readonly runner: CommandRunner,
    private readonly limit: RecordLimit,
    private readonly scopes: Scopes,
    private readonly targets: Targets,
  ) {}

  /** What else is asked of a person who brings back one of this kind: a refusal keeps it away. Entered at start. */
  demands<Doc extends Document, Event extends DomainEvent>(
    { category }: RecordAggregate<Doc, Event>,
    demand: (former: Doc, call: Call) => Promise<void>,
  ): void {
    this.demanded.set(category, demand as unknown as Demand);
  }

  /**
   * Answers what it came back as. One that is there already stays as it is: undefined. `restores`: the id of the event
   * that ended it. @throws Refusal undo-impossible, records-full, a name taken, a project or a target that is gone
   */
  async bringBack(
    call: Call,
    kind: RecordAggregate<Document, DomainEvent>,
    former: Document,
    restores: string,
  ): Promise<Document | undefined> {
    const { undoing } = kind;
    const returns = typeof undoing === 'string' ? undefined : undoing.returns;
    if (returns === undefined) return refuse('undo-impossible', { why: 'What has ended stays so.' });
    const within = scopeOf(kind, former);
    if (within !== undefined && call.caller) await this.scopes.require(within.scope, call, within.id);
    // Triggers come back with their target, or to one that is there.
    if (isTrigger(former) && call.caller) {
      await this.targets.require(call.workspaceId, { kind: former.targetKind, ref: former.targetRef });
    }
    if (call.caller) await this.demanded.get(kind.category)?.(former, call);
    if (kind.limited && call.caller) await this.limit.mustHaveRoom(kind, call.workspaceId);
    const back = returns.as?.(former, call.at) ?? former;
    const { workspaceId: _, id, ...fields } = back;
    let wasThere = false;
    const state = await this.runner.change<Document | undefined, DomainEvent>(call, {
      aggregate: kind,
      id,
      begins: 'perhaps',
      reserves: (now) => (now === undefined ? namesTakenAgain(kind.category, back, call) : []),
      decide: (now) => {
        wasThere = now !== undefined;
        return wasThere ? [] : [{ type: returns.type, data: { ...fields, restores } }];
      },
    });
    // The same command again is not asked to decide: it came back the first time.
    return wasThere ? undefined : state;
  }
}

type Demand = (former: Document, call: Call) => Promise<void>;

interface Trigger extends Document {
  readonly targetKind: TargetKind;
  readonly targetRef: string;
}

const isTrigger = (record: Document): record is Trigger => 'targetKind' in record && 'targetRef' in record;
