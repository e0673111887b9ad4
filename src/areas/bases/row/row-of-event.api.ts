import { Injectable } from '@nestjs/common';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import type { Starter } from '../../../kernel/callers/starter.js';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Rows } from './rows.api.js';

const reader = systemActor('base events');

/**
 * The row that a base event is about. Events carry no values, and neither do the inputs and states that runs keep: the row
 * is looked up whenever a target is given its input, so that an erased row is kept nowhere.
 */
@Injectable()
export class RowOfEvent {
  constructor(
    private readonly rows: Rows,
    private readonly calls: Calls,
  ) {}

  /**
   * The input with `row`, as it stands now; null: it is gone. Other inputs than those of runs that a base event started
   * are answered unchanged. The answer is for the target's eyes and must not be kept.
   */
  async added(run: EventRun, input: JsonObject): Promise<JsonObject> {
    const named = rowOf(run, input);
    return named === undefined ? input : { ...input, row: await this.find(run.workspaceId, named) };
  }

  /** Whether `added` adds a row to this input. */
  isIn(run: EventRun, input: Json): input is JsonObject {
    return isJsonObject(input) && rowOf(run, input) !== undefined;
  }

  private async find(workspaceId: string, { tableId, rowId }: Named): Promise<JsonObject | null> {
    const call = this.calls.once(workspaceId, reader, 'bases/getRow');
    try {
      return await this.rows.getRow(call, { as: 'owner' }, { id: tableId }, rowId);
    } catch (error) {
      if (error instanceof Refusal && error.kind === 'not-found') return null;
      throw error;
    }
  }
}

interface EventRun {
  readonly workspaceId: string;
  readonly starter: Pick<Starter, 'kind'>;
}

interface Named {
  readonly tableId: string;
  readonly rowId: string;
}

/** The service wrote the event that a trigger passes on. What other senders write may name any row. */
function rowOf({ starter }: EventRun, { event }: JsonObject): Named | undefined {
  if (starter.kind !== 'event') return undefined;
  if (!isJsonObject(event) || typeof event['name'] !== 'string' || !event['name'].startsWith('base.row_'))
    return undefined;
  const { tableId, rowId } = isJsonObject(event['properties']) ? event['properties'] : {};
  return typeof tableId === 'string' && typeof rowId === 'string' ? { tableId, rowId } : undefined;
}
