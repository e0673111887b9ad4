import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { rows as record } from './row.record.js';
import type { RowAnswer } from './row-view.js';
import { Rows } from './rows.api.js';

/**
 * Stored answers of operations that write rows, for idempotency. Row values in them are sealed under the rows' keys.
 * They are opened when an answer is returned; once a row is erased, a repetition gets null.
 */
@Injectable()
export class IdempotentRowAnswers {
  constructor(
    readonly rows: Rows,
    private readonly personal: PersonalData,
  ) {}

  async one(call: OperationContext, row: RowAnswer | undefined): Promise<object | undefined> {
    return row && call.repeatable ? this.sealed(call, row) : row;
  }

  async all(call: OperationContext, rows: readonly RowAnswer[]): Promise<readonly object[]> {
    return call.repeatable ? Promise.all(rows.map((row) => this.sealed(call, row))) : rows;
  }

  /** Each value is sealed separately, because it is opened where it occurs. */
  private async sealed({ workspaceId }: OperationContext, row: RowAnswer): Promise<object> {
    const { id, createdAt, updatedAt, createdBy, ...shown } = row;
    const held = Object.entries(shown).filter(([, value]) => value !== null);
    const values = await this.personal.sealed(
      streamOf(record.category, workspaceId, id),
      held.map(([, values]) => ({ data: { values } })),
    );
    const sealed = held.map(([name], at) => [name, values[at]?.data.values]);
    return { id, createdAt, updatedAt, createdBy, ...shown, ...Object.fromEntries(sealed) };
  }
}
