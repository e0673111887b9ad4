import { Injectable } from '@nestjs/common';
import { Reads } from '../../../../engine/scopes/reads.js';
import { refuseInput } from '../../../../kernel/field/refuse-input.js';
import type { Table } from '../../table/table.record.js';
import type { CheckedValues } from '../reading/field-values.js';
import { type Row, rows } from '../row.record.js';

@Injectable()
export class RelatedValues {
  constructor(private readonly reads: Reads) {}

  /**
   * Refuses relations to rows that do not exist in the related table. Only `sent` is checked: if a related row is
   * deleted later, its id remains in the field.
   * @param pathOf returns the path of the values in the input
   * @throws Refusal invalid-input
   */
  async mustLead(
    { workspaceId, fields }: Table,
    sent: readonly CheckedValues[],
    pathOf: (index: number) => string,
  ): Promise<void> {
    const relations = fields.filter(({ type }) => type === 'relation');
    if (relations.length === 0) return;
    const looked = new Map<string, Promise<Row | undefined>>();
    const rowOf = (id: string) => {
      const found = looked.get(id) ?? this.reads.get<Row>(workspaceId, rows.collection.name, id);
      looked.set(id, found);
      return found;
    };
    for (const [index, values] of sent.entries()) {
      for (const { id, name, targetTableId } of relations) {
        const value = Object.hasOwn(values, id) ? values[id] : null;
        if (typeof value !== 'string' || (await rowOf(value))?.tableId === targetTableId) continue;
        refuseInput([{ path: `${pathOf(index)}.${name}`, message: 'must be the id of a row of the related table' }]);
      }
    }
  }
}
