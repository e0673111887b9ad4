import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { alongside, exclusiveSlot } from '../../../engine/commands/related-changes.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { refuse } from '../sites.refusals.js';
import { type ContentPlan, eventsOf, takenBy } from './content-plan.api.js';

/** Thrown if the content changed between the plan and the append. The caller must plan again. */
export class Outdated extends Error {}

/** Thrown if the plan's records need names or slots of records that the plan does not change. */
class PlacesTaken extends Error {
  constructor(readonly by: readonly string[]) {
    super(`Other records have what these would take: ${by.join(', ')}.`);
  }
}

const tries = 20;

/**
 * Changes many records of a project with one command, in one append. If an append is not one transaction
 * (EventStoreDB), a crash can leave it incomplete; repeating the request plans again from the present content and
 * completes it.
 */
@Injectable()
export class ContentChanges {
  constructor(private readonly runner: CommandRunner) {}

  /**
   * @param plan called again after a conflict, with the ids of records that would lose a name or slot although the plan
   * does not change them
   * @throws Refusal
   */
  async make<Plan extends ContentPlan>(
    call: OperationContext,
    plan: (displacing: ReadonlySet<string>) => Promise<Plan>,
  ): Promise<Plan> {
    const displacing = new Set<string>();
    for (let attempt = 0; attempt < tries; ) {
      const planned = await plan(displacing);
      try {
        await this.record(call, planned);
        return planned;
      } catch (error) {
        if (!(error instanceof Outdated || error instanceof PlacesTaken)) throw error;
        const more = error instanceof PlacesTaken ? error.by.filter((id) => !displacing.has(id)) : [];
        for (const id of more) displacing.add(id);
        if (more.length === 0) attempt += 1;
      }
    }
    return refuse('too-much-contention');
  }

  private record(call: OperationContext, { changes, main, also = [], message }: ContentPlan) {
    const planned = new Set(changes.map(({ id }) => id));
    let displacing: string[] = [];
    return this.runner.change(call, {
      ...main,
      slots: () => {
        displacing = [];
        return changes.flatMap((change) =>
          takenBy(change).map((reservation) =>
            exclusiveSlot(reservation, ({ id }) => {
              // A slot of a record in the plan is no conflict, because the plan changes that record too.
              if (!planned.has(id)) displacing.push(change.id);
              return [];
            }),
          ),
        );
      },
      // Evaluated after all slots have been checked.
      alongside: () => [
        ...also,
        ...changes.map((change) =>
          alongside({
            aggregate: change.kind.record,
            id: change.id,
            decide: (record) => {
              if (displacing.length > 0) throw new PlacesTaken(displacing);
              if (record?.updatedAt !== change.now?.updatedAt) throw new Outdated();
              return eventsOf(change, message);
            },
          }),
        ),
      ],
    });
  }
}
