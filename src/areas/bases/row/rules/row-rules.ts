import type { Policies } from '../../../../kernel/condition/condition.js';
import { ownValue } from '../../../../kernel/condition/operators.js';
import type { Facts, PersonFacts } from '../../../../kernel/judging/facts.js';
import { judgeOnRows, type RowTest } from '../../../../kernel/judging/judge-on-rows.js';
import { entriesOf, type RowRule } from '../../../../kernel/judging/judge-rule.js';
import type { Comparison } from '../../../../kernel/rows/row-filter.js';
import { type Comparable, comparableOf, holdsAddresses } from '../reading/comparable-fields.js';
import { pathTo, type Reach } from './relationship-path.js';
import { fieldNamed, type RuledField, type RuledTable, valuePath } from './ruled-table.js';

/** One rule as a test of a stored row: a comparison, or a relationship whose rows are still to be looked up. */
export type RuleTest = Comparison | { readonly reach: Reach; readonly userId: string };

/** Which rows of a table a rule allows a caller. */
export type Allowed = 'everything' | 'nothing' | RowTest<RuleTest>;

/** Who asks. What is known of the row stands in the read store. */
export type Asking = Omit<Facts, 'row' | 'place' | 'functions'>;

/** A table among those that its relations lead to, and the policies that its rules name. */
export interface RuledPlace {
  readonly table: RuledTable;
  readonly tables: ReadonlyMap<string, RuledTable>;
  readonly policies: Policies;
}

/**
 * The rows that a stored condition allows. For each row this comes to what `judge` comes to with that row, except that
 * text columns compare as text, where `judge` also takes two forms of one date for the same. Fails closed: a rule over a
 * field that is gone, or of a type that it cannot compare, allows nothing, under `not` as well.
 */
export function rowsAllowed(condition: unknown, asking: Asking, place: RuledPlace): Allowed {
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

/** Whether the fields fit is looked at first, so that a rule that fits no row is a fault for visitors, too. */
function testOn(
  rule: RowRule,
  person: PersonFacts | undefined,
  { table, tables }: RuledPlace,
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

/** The field holds one of the property's values, or, as a list, has one among its own. */
function equalTo(property: unknown, matched: RuledField, { kind, stored }: Comparable): Comparison | 'denied' {
  const field = valuePath(matched);
  const [only, ...others] = new Set(entriesOf(property).flatMap(stored));
  if (only === undefined) return 'denied';
  if (others.length === 0) return { field, kind, operator: 'eq', value: only };
  return { field, kind, operator: 'in', value: [only, ...others] };
}
