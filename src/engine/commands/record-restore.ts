import { Injectable } from '@nestjs/common';
import type { TargetKind } from '../../kernel/callers/target.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import { scopeOf } from '../../kernel/record/aggregate.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import type { OperationContext } from '../operation/operation-context.js';
import { refuse } from '../refusals/engine.refusals.js';
import { Scopes } from '../scopes/scopes.js';
import { Targets } from '../scopes/targets.js';
import { CommandRunner } from './command-runner.js';
import { RecordLimit } from './record-limit.js';
import { restoredNames } from './restored-names.js';

@Injectable()
export class RecordRestore {
  private readonly checks = new Map<string, Demand>();

  constructor(
    private readonly runner: CommandRunner,
    private readonly limit: RecordLimit,
    private readonly scopes: Scopes,
    private readonly targets: Targets,
  ) {}

  /** Must be called at start. `demand` is called before a record of this kind is restored, and may refuse. */
  checkBefore<Doc extends Document, Event extends DomainEvent>(
    { category }: RecordAggregate<Doc, Event>,
    demand: (former: Doc, call: OperationContext) => Promise<void>,
  ): void {
    this.checks.set(category, demand as unknown as Demand);
  }

  /**
   * If the record exists, changes nothing and returns undefined. `restores` is the id of the event that deleted the
   * record.
   * @throws Refusal undo-impossible, records-full, or another one if a name is taken or a project or target no longer
   * exists
   */
  async restore(
    call: OperationContext,
    kind: RecordAggregate<Document, DomainEvent>,
    former: Document,
    restores: string,
  ): Promise<Document | undefined> {
    const { undoing } = kind;
    const returns = typeof undoing === 'string' ? undefined : undoing.returns;
    if (returns === undefined)
      return refuse('undo-impossible', { why: 'A record of this kind cannot be restored after it has ended.' });
    const within = scopeOf(kind, former);
    if (within !== undefined && call.caller) await this.scopes.require(within.scope, call, within.id);
    if (isTrigger(former) && call.caller) {
      await this.targets.require(call.workspaceId, { kind: former.targetKind, ref: former.targetRef });
    }
    if (call.caller) await this.checks.get(kind.category)?.(former, call);
    if (kind.limited && call.caller) await this.limit.mustHaveRoom(kind, call.workspaceId);
    const restored = returns.as?.(former, call.at) ?? former;
    const { workspaceId: _, id, ...fields } = restored;
    let wasThere = false;
    const state = await this.runner.change<Document | undefined, DomainEvent>(call, {
      aggregate: kind,
      id,
      begins: 'perhaps',
      reserves: (now) => (now === undefined ? restoredNames(kind.category, restored, call) : []),
      decide: (now) => {
        wasThere = now !== undefined;
        return wasThere ? [] : [{ type: returns.type, data: { ...fields, restores } }];
      },
    });
    // If the command is repeated, `decide` is not called and `wasThere` remains false. The first attempt restored the
    // record, so its state is returned.
    return wasThere ? undefined : state;
  }
}

type Demand = (former: Document, call: OperationContext) => Promise<void>;

interface Trigger extends Document {
  readonly targetKind: TargetKind;
  readonly targetRef: string;
}

const isTrigger = (record: Document): record is Trigger => 'targetKind' in record && 'targetRef' in record;
