import type { Policies } from '../../../../kernel/condition/condition.js';
import { ownValue } from '../../../../kernel/condition/operators.js';
import type { Facts, PersonFacts } from '../../../../kernel/judging/facts.js';
import { judgeOnRows, type RowTest } from '../../../../kernel/judging/judge-on-rows.js';
import { entriesOf, type RowRule } from '../../../../kernel/judging/judge-rule.js';
import type { RowComparison } from '../../../../kernel/rows/row-filter.js';
import { type Comparable, comparableOf, holdsAddresses } from '../reading/comparable-fields.js';
import { pathTo, type RelationshipReach } from './relationship-path.js';
import { fieldNamed, type RuledField, type RuledTable, valuePath } from './ruled-table.js';

export type RuleTest = RowComparison | { readonly reach: RelationshipReach; readonly userId: string };

export type Allowed = 'everything' | 'nothing' | RowTest<RuleTest>;

/** Facts about a row are omitted: a rule that refers to a row becomes a test, which is applied to the stored rows. */
export type Asking = Omit<Facts, 'row' | 'place' | 'functions'>;

export interface RuleContext {
  readonly table: RuledTable;
  readonly tables: ReadonlyMap<string, RuledTable>;
  readonly policies: Policies;
}

/**
 * Allows the rows that `judge` would allow, with one exception: `judge` treats two spellings of the same date as equal,
 * while here texts are compared. A rule gives no access if its field is missing or of a type that cannot be
 * compared, not even within `not`.
 */
export function rowsAllowed(condition: unknown, asking: Asking, place: RuleContext): Allowed {
  const testOf = (rule: RowRule) => testOn(rule, asking.person, place);
  const judged = judgeOnRows<RuleTest>(condition, { ...asking, place: 'row' }, place.policies, testOf);
  switch (judged.outcome) {
    case 'allowed':
      return 'everything';
    case 'denied':
    case 'fault':
      return 'nothing';
    case 'by row':
      return judged.test;
  }
}

/**
 * The field is checked before the caller, so that a rule that does not fit the table is a fault even for anonymous
 * visitors.
 */
function testOn(
  rule: RowRule,
  person: PersonFacts | undefined,
  { table, tables }: RuleContext,
): RowTest<RuleTest> | 'denied' | 'fault' {
  switch (rule.type) {
    case 'creator':
      return person ? { field: 'createdBy', kind: 'text', operator: 'eq', value: person.id } : 'denied';
    case 'field_match': {
      const field = fieldNamed(table, rule.field);
      const comparable = field && comparableOf(field.type);
      if (field === undefined || comparable === undefined) return 'fault';
      return person ? equalTo(ownValue(person.properties, rule.property), field, comparable) : 'denied';
    }
    case 'email': {
      const field = fieldNamed(table, rule.field);
      if (field === undefined || !holdsAddresses(field.type)) return 'fault';
      if (!person?.email) return 'denied';
      return { field: valuePath(field), kind: 'text', operator: 'eqIgnoringCase', value: person.email };
    }
    case 'relationship': {
      const reach = pathTo(rule.path, table, tables);
      if (reach === undefined) return 'fault';
      return person ? { reach, userId: person.id } : 'denied';
    }
  }
}

/**
 * The field must equal one of the property's values; a list field must contain one. Returns `denied` if the property
 * has no value that the field can have.
 */
function equalTo(property: unknown, matched: RuledField, { kind, stored }: Comparable): RowComparison | 'denied' {
  const field = valuePath(matched);
  const [only, ...others] = new Set(entriesOf(property).flatMap(stored));
  if (only === undefined) return 'denied';
  if (others.length === 0) return { field, kind, operator: 'eq', value: only };
  return { field, kind, operator: 'in', value: [only, ...others] };
}
