import { Injectable } from '@nestjs/common';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import type { Starter } from '../../../kernel/callers/starter.js';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Rows } from './rows.api.js';

const reader = systemActor('base events');

/**
 * Events and stored inputs do not contain the row's values, so that no copy remains when the row is erased. The row is
 * looked up each time a target, such as a function, gets the input.
 */
@Injectable()
export class RowOfEvent {
  constructor(
    private readonly rows: Rows,
    private readonly calls: Calls,
  ) {}

  /**
   * `row` is null if the row does not exist. If no base event started the run, the input is returned unchanged. The
   * result is only for the target and must not be stored.
   */
  async added(run: EventRun, input: JsonObject): Promise<JsonObject> {
    const named = rowOf(run, input);
    return named === undefined ? input : { ...input, row: await this.find(run.workspaceId, named) };
  }

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

/**
 * Only the input of a run that an event started is trusted, because the service wrote it. Any other input could name
 * any row.
 */
function rowOf({ starter }: EventRun, { event }: JsonObject): Named | undefined {
  if (starter.kind !== 'event') return undefined;
  if (!isJsonObject(event) || typeof event['name'] !== 'string' || !event['name'].startsWith('base.row_'))
    return undefined;
  const { tableId, rowId } = isJsonObject(event['properties']) ? event['properties'] : {};
  return typeof tableId === 'string' && typeof rowId === 'string' ? { tableId, rowId } : undefined;
}
