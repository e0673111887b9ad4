import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { wrongAhead } from '../../bases/row/reading/written-ahead.api.js';
import type { Table } from '../../bases/table/table.record.js';
import { refuse } from '../functions.refusals.js';
import { fieldsNamedIn } from './bound-names.api.js';
import { type DataDefinition, isPlaceholder } from './data-definition.api.js';

const mostErrors = 20;

/**
 * Refuses a definition that would fail on the present table for all values of its params.
 * @throws Refusal unknown-field, invalid-input
 */
export function checkOnTable(definition: DataDefinition, table: Table): void {
  const fields = table.fields.map(({ name }) => name);
  const unknown = fieldsNamedIn(definition).filter(({ name }) => !fields.includes(name));
  if (unknown.length > 0) {
    const names = [...new Set(unknown.map(({ name }) => name))].slice(0, 10).join(', ');
    const errors = unknown.slice(0, mostErrors).map(({ path }) => ({
      path: `definition.${path}`,
      message: 'must be the name of a field of the table',
    }));
    refuse('unknown-field', { names }, { fields, errors });
  }
  const { filter, sort, values, kind } = definition;
  const written = { filter, sort, values, makesRow: kind === 'create' };
  const wrong = wrongAhead(table, written, isPlaceholder, 'definition');
  if (wrong.length > 0) refuseInput(wrong.slice(0, mostErrors));
}
