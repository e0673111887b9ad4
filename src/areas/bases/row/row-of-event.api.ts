import { Injectable } from '@nestjs/common';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import type { Starter } from '../../../kernel/callers/starter.js';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Rows } from './rows.api.js';

const reader = systemActor('base events');

/**
 * Finds the row that a base event concerns. Events, stored inputs and states of runs contain no values: the row is
 * looked up whenever a target gets its input, so no copy of an erased row remains.
 */
@Injectable()
export class RowOfEvent {
  constructor(
    private readonly rows: Rows,
    private readonly calls: Calls,
  ) {}

  /**
   * Returns the input with `row` as it is now, or null if it is gone. Inputs of runs without a base event are returned
   * unchanged. The result is for the target only and must not be stored.
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

/** Only a trigger's event is trusted, because the service wrote it. Other senders could name any row. */
function rowOf({ starter }: EventRun, { event }: JsonObject): Named | undefined {
  if (starter.kind !== 'event') return undefined;
  if (!isJsonObject(event) || typeof event['name'] !== 'string' || !event['name'].startsWith('base.row_'))
    return undefined;
  const { tableId, rowId } = isJsonObject(event['properties']) ? event['properties'] : {};
  return typeof tableId === 'string' && typeof rowId === 'string' ? { tableId, rowId } : undefined;
}
