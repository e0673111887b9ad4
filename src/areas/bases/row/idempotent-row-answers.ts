import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { rows as record } from './row.record.js';
import type { RowAnswer } from './row-view.js';
import { Rows } from './rows.api.js';

/**
 * In stored answers, row values are encrypted with the key of their row. If a row has been erased since, a repeated
 * call gets null for its values.
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

  /** Encrypts each value by itself, because an answer is decrypted value by value. */
  private async sealed({ workspaceId }: OperationContext, row: RowAnswer): Promise<object> {
    const { id, createdAt, updatedAt, createdBy, ...shown } = row;
    const members = Object.entries(shown).filter(([, value]) => value !== null);
    const values = await this.personal.sealed(
      streamOf(record.category, workspaceId, id),
      members.map(([, values]) => ({ data: { values } })),
    );
    const sealed = members.map(([name], at) => [name, values[at]?.data.values]);
    return { id, createdAt, updatedAt, createdBy, ...shown, ...Object.fromEntries(sealed) };
  }
}
