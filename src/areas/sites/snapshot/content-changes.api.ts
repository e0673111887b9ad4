import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { alongside, exclusiveSlot } from '../../../engine/commands/related-changes.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { refuse } from '../sites.refusals.js';
import { type ContentPlan, eventsOf, takenBy } from './content-plan.api.js';

/** Something was changed between the plan and the append: it is planned anew. */
export class Outdated extends Error {}

/** Names or places that these records would take belong to records that the plan leaves as they are. */
class PlacesTaken extends Error {
  constructor(readonly by: readonly string[]) {
    super(`Other records have what these would take: ${by.join(', ')}.`);
  }
}

const tries = 20;

/**
 * Changes many records of a project with one command: all of them in one append. Where an append is not one transaction
 * (EventStoreDB), a crash can leave a part of it; the same request again plans anew from what is there and does the rest.
 */
@Injectable()
export class ContentChanges {
  constructor(private readonly runner: CommandRunner) {}

  /**
   * `plan` is asked again after a lost race, with the ids of records that would take a name or place from one that the
   * plan does not change. @throws Refusal
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
              // The plan says itself what becomes of a record that it changes.
              if (!planned.has(id)) displacing.push(change.id);
              return [];
            }),
          ),
        );
      },
      // Decided after all places have been looked at.
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
