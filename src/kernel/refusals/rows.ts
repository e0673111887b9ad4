import { eachCall, invalid, refusal } from './refusal-entry.js';

/** What the rows of tables refuse. */
export const rowsRefusals = {
  'row-not-found': refusal('not-found', () => 'The table has no such row; listRows shows those it has.'),
  'row-erased': refusal(
    'conflict',
    () => 'The row was erased, which is final: its values are in no history any more, and nothing brings them back.',
  ),
  'row-not-there-then': refusal(
    'conflict',
    () =>
      'The row was not there then; deleteRow takes it away, and getHistory shows when it was what. Nothing was changed.',
  ),
  'table-deleted': refusal(
    'conflict',
    () => 'The table was deleted, which is final: its rows were erased with it, and nothing brings them back.',
  ),
  'row-changed-since': refusal(
    'conflict',
    () => 'The row was changed after the updatedAt that was sent as seenUpdatedAt; read it again and change that.',
  ),
  'row-value-required': invalid(
    eachCall,
    (about: { field: string }) => `The field '${about.field}' is required: send a value for it. Nothing was changed.`,
  ),
  'row-value-taken': refusal(
    'conflict',
    (about: { field: string }) =>
      `The field '${about.field}' is unique, and another row has this value; send another one. Nothing was changed.`,
  ),
  'several-rows': refusal(
    'conflict',
    () => 'Several rows of the table have these values; send a match that fits one row at most. Nothing was changed.',
  ),
  'row-not-allowed': refusal(
    'forbidden',
    (about: { right: string }) => `The access rules of the table do not let this user ${about.right} this row.`,
  ),
  'field-not-writable': refusal(
    'forbidden',
    (about: { field: string }) =>
      `The access rules of the field '${about.field}' do not let this user write it; leave it out. Nothing was changed.`,
  ),
  'field-not-readable': refusal(
    'forbidden',
    (about: { field: string }) =>
      `The access rules of the field '${about.field}' hide it from this user, at least in some rows: sort and report by other fields.`,
  ),
  'cursor-of-another-list': invalid(
    'cursor',
    () => 'The cursor is of another table or another order; send the nextCursor of this list, or none to begin anew.',
  ),
  'match-empty': invalid(
    'match',
    () => 'match has to name at least one field; send the values that the row is known by.',
  ),
  'row-named-twice': invalid(
    eachCall,
    (about: { id: string }) => `The row ${about.id} is named twice; send each row once. Nothing was changed.`,
  ),
  'table-full': refusal(
    'conflict',
    (about: { most: number }) =>
      `The table has ${about.most.toLocaleString('en')} rows, which is the limit; delete some first. Nothing was changed.`,
  ),
  'too-many-rows': refusal(
    'too-large',
    (about: { found: number; most: number }) =>
      `${about.found.toLocaleString('en')} rows match, and readAll gives ${about.most.toLocaleString('en')} at most: narrow the filter, or say maxRows.`,
  ),
  'rows-answer-too-large': refusal(
    'too-large',
    (about: { megabytes: number }) =>
      `The answer is more than ${about.megabytes} MB; ask for fewer rows. What the call was to change is changed.`,
  ),
  'row-queries-taken': refusal(
    'unavailable',
    () => 'Too many other queries of rows are waiting; send the call again in a moment.',
  ),
  'row-query-too-long': refusal(
    'unavailable',
    () =>
      'The query was given up, because it takes too long: narrow the filter, look for shorter texts, or index the field that it looks at.',
  ),
} as const;
