import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { alongside, exclusiveSlot } from '../../../engine/commands/related-changes.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { refuse } from '../sites.refusals.js';
import { type ContentPlan, eventsOf, retains, takenBy } from './content-plan.api.js';

/** A record changed between the planning and the append, so the changes must be planned again. */
export class Outdated extends Error {}

/**
 * Thrown if planned records need unique values, such as a page's path, that other records have and that the plan does
 * not free. `by` contains the ids of these planned records.
 */
class PlacesTaken extends Error {
  constructor(readonly by: readonly string[]) {
    super(`Other records already use what these would use: ${by.join(', ')}.`);
  }
}

const tries = 20;

/**
 * Changes many records in one append. With EventStoreDB an append is not one transaction, so a crash can leave it
 * incomplete; a repeated request completes the changes.
 */
@Injectable()
export class ContentChanges {
  constructor(private readonly runner: CommandRunner) {}

  /**
   * @param plan is called again after each conflict. Its argument contains the ids of planned records that need a
   * unique value that another record has and the plan does not free.
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
    const planned = new Map(changes.map((change) => [change.id, change]));
    let displacing: string[] = [];
    return this.runner.change(call, {
      ...main,
      slots: () => {
        displacing = [];
        const taken = new Set<string>();
        return changes.flatMap((change) =>
          takenBy(change).map((reservation) => {
            const value = `${reservation.category}/${reservation.name}`;
            // Of two planned records that need the same value, the first one gets it.
            if (taken.has(value)) displacing.push(change.id);
            taken.add(value);
            return exclusiveSlot(reservation, ({ id }) => {
              // No conflict if the record that has the value is planned too and its change frees the value.
              const holder = planned.get(id);
              if (holder === undefined || retains(holder, reservation)) displacing.push(change.id);
              return [];
            });
          }),
        );
      },
      // Throws if `slots`, which the command runner calls before, has found conflicts.
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
