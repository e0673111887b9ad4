import { Injectable } from '@nestjs/common';
import { Calls, systemActor } from '../../../engine/calls.js';
import { isJsonObject, type JsonObject } from '../../../kernel/json.js';
import { Refusal } from '../../../kernel/refusal.js';
import { Rows } from './rows.api.js';

const reader = systemActor('base events');

/**
 * The row that a base event is about. Events carry no values, and no input that is kept does: the row is looked up when
 * its target begins, so that an erased row is kept nowhere.
 */
@Injectable()
export class RowOfEvent {
  constructor(
    private readonly rows: Rows,
    private readonly calls: Calls,
  ) {}

  /**
   * The input with `row`, as it stands now; null: it is gone. Inputs without a base event are answered unchanged. Only for
   * inputs that the service wrote: what senders write may name any row.
   */
  async added(workspaceId: string, input: JsonObject): Promise<JsonObject> {
    const named = rowIn(input);
    return named === undefined ? input : { ...input, row: await this.find(workspaceId, named) };
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

interface Named {
  readonly tableId: string;
  readonly rowId: string;
}

function rowIn({ event }: JsonObject): Named | undefined {
  if (!isJsonObject(event) || typeof event['name'] !== 'string' || !event['name'].startsWith('base.row_'))
    return undefined;
  const { tableId, rowId } = isJsonObject(event['properties']) ? event['properties'] : {};
  return typeof tableId === 'string' && typeof rowId === 'string' ? { tableId, rowId } : undefined;
}
