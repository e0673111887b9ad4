import fc from 'fast-check';
import type { RuledTable } from '../../../src/areas/bases/row/rules/ruled-table.js';
import type { Condition, Policies } from '../../../src/kernel/condition/condition.js';
import type { Facts } from '../../../src/kernel/judging/facts.js';
import { conditionsOf, people, rules } from './condition-arbitraries.js';
import { policies } from './condition-facts.js';

/** A row of one of three tables, which have fields of every type and relations that form a cycle. */
export interface StoredRow {
  readonly id: string;
  readonly tableId: string;
  readonly createdBy: string | null;
  readonly values: Readonly<Record<string, unknown>>;
}

const field = (id: string, name: string, type: string, targetTableId?: string) => ({ id, name, type, targetTableId });
export const orders: RuledTable = {
  id: 'tbl_orders',
  fields: [
    field('fld_text', 'a', 'text'),
    field('fld_list', 'b', 'multiSelect'),
    field('fld_number', 'c', 'number'),
    field('fld_flag', 'flag', 'boolean'),
    field('fld_day', 'day', 'date'),
    field('fld_time', 'time', 'dateTime'),
    field('fld_mail', 'mail', 'email'),
    field('fld_json', 'json', 'json'),
    field('fld_owner', 'owner', 'user'),
    field('fld_project', 'project', 'relation', 'tbl_projects'),
  ],
};
export const projects: RuledTable = {
  id: 'tbl_projects',
  fields: [field('fld_lead', 'lead', 'user'), field('fld_team', 'team', 'relation', 'tbl_teams')],
};
export const teams: RuledTable = {
  id: 'tbl_teams',
  fields: [field('fld_boss', 'boss', 'user'), field('fld_first', 'first.order', 'relation', 'tbl_orders')],
};
export const tables: ReadonlyMap<string, RuledTable> = new Map([orders, projects, teams].map((one) => [one.id, one]));

const sound = ['owner', 'project.lead', 'project.team.boss', 'project.team.first.order.owner'];
const paths = fc.constantFrom(...sound, 'project', 'project.team.first.order.project.lead', 'mail', 'gone.lead', '');
const names = fc.constantFrom('a', 'b', 'c', 'flag', 'day', 'time', 'mail', 'owner');
const properties = fc.constantFrom('a', 'b', 'c', '__proto__');

const rowRules = fc.oneof(
  fc.constant({ type: 'creator' }),
  fc.tuple(names, properties).map(([name, property]) => ({ type: 'field_match', field: name, property })),
  fc.constantFrom(...sound).map((path) => ({ type: 'relationship', path })),
  fc.constantFrom('mail', 'a').map((name) => ({ type: 'email', field: name })),
);
const wrongRules = fc.oneof(
  fc.constantFrom('gone', 'json', 'toString').map((name) => ({ type: 'field_match', field: name, property: 'a' })),
  fc.constantFrom('gone', 'c').map((name) => ({ type: 'email', field: name })),
  paths.filter((path) => path !== '').map((path) => ({ type: 'relationship', path })),
);
const references = fc.constantFrom('p', 'q').map((policy) => ({ policy }));
const others = rules.filter((rule) => rule.type !== 'function');

/** Conditions that are valid for a table. */
export const soundRowConditions = conditionsOf(fc.oneof({ weight: 3, arbitrary: rowRules }, others));

export const rowConditions = fc.oneof(
  { weight: 6, arbitrary: soundRowConditions },
  { weight: 3, arbitrary: conditionsOf(fc.oneof({ weight: 3, arbitrary: rowRules }, others, references)) },
  conditionsOf(fc.oneof({ weight: 9, arbitrary: rowRules }, wrongRules, rules)),
  fc.constantFrom<unknown>(undefined, null, [], 'anybody', { all: [] }, { type: 'is_friend' }),
);
export const rowPolicies = fc.dictionary(fc.constantFrom('p', 'q'), conditionsOf(fc.oneof(rowRules, others)), {
  noNullPrototype: true,
});

export const askings = fc.record(
  { now: fc.constant(Date.parse('2030-03-01')), throughSite: fc.boolean(), person: people },
  { requiredKeys: ['now', 'throughSite'] },
);

const users = fc.constantFrom('user_ada', 'user_eve', null);
const addresses = fc.constantFrom('ada@example.com', 'ADA@Example.com', 'eve@example.com', '\u212Aate@example.com', '');
const values = fc.record(
  {
    fld_text: fc.oneof(fc.constantFrom('a', 'b', 'A', '', 'aba', 'true', '1'), addresses),
    fld_list: fc.uniqueArray(fc.constantFrom('a', 'b', 'A', ''), { maxLength: 3 }),
    fld_number: fc.constantFrom(0, 1, 2, 1.5),
    fld_flag: fc.boolean(),
    fld_day: fc.constantFrom('2030-01-01', '2030-06-01'),
    fld_time: fc.constantFrom('2030-01-01T00:00:00.000Z', '2030-06-01T12:00:00.000Z'),
    fld_mail: addresses,
    fld_json: fc.jsonValue(),
    fld_owner: users,
    fld_project: fc.constantFrom('row_p1', 'row_p2', 'row_t1', 'gone', null),
  },
  { requiredKeys: [] },
);
const pointing = (name: string, ...ids: readonly string[]) => ({ [name]: fc.constantFrom(...ids, 'gone', null) });

/** Generates rows of all tables. Relations may refer to a missing row, to a row of another table, or in a cycle. */
export const storedRows = fc
  .tuple(
    fc.array(fc.record({ createdBy: users, values }), { minLength: 1, maxLength: 6 }),
    fc.array(fc.record({ fld_lead: users, ...pointing('fld_team', 'row_t1', 'row_t2') }), { maxLength: 2 }),
    fc.array(fc.record({ fld_boss: users, ...pointing('fld_first', 'row_1', 'row_2') }), { maxLength: 2 }),
  )
  .map(([first, second, third]): readonly StoredRow[] => [
    ...first.map((one, at) => ({ id: `row_${at + 1}`, tableId: 'tbl_orders', ...one })),
    ...second.map((held, at) => ({ id: `row_p${at + 1}`, tableId: 'tbl_projects', createdBy: null, values: held })),
    ...third.map((held, at) => ({ id: `row_t${at + 1}`, tableId: 'tbl_teams', createdBy: null, values: held })),
  ]);

const comparable: readonly string[] = ['text', 'multiSelect', 'number', 'boolean', 'date', 'dateTime', 'email', 'user'];
const typeOf = (name: string) => orders.fields.find((one) => one.name === name)?.type ?? '';
const fault = { type: 'is_friend' };

/** Returns the condition with everything that cannot be evaluated on a row replaced by a rule of an unknown type. */
export function withFaults(condition: unknown): unknown {
  if (Array.isArray(condition)) return condition.map(withFaults);
  if (typeof condition !== 'object' || condition === null) return condition;
  if ('type' in condition) {
    const rule = condition as Extract<Condition, { type: unknown }>;
    if (rule.type === 'function') return fault;
    if (rule.type === 'field_match') return comparable.includes(typeOf(rule.field)) ? rule : fault;
    if (rule.type === 'email' && 'field' in rule) return ['email', 'text'].includes(typeOf(rule.field)) ? rule : fault;
    return rule.type === 'relationship' && !sound.includes(rule.path) ? fault : rule;
  }
  return Object.fromEntries(Object.entries(condition).map(([key, inner]) => [key, withFaults(inner)]));
}

export const policiesWithFaults = (set: Record<string, unknown>): Policies =>
  policies(Object.fromEntries(Object.entries(set).map(([id, one]) => [id, withFaults(one)])));

/**
 * Returns what `judge` needs to know about a row: the values by field name, and the users at the end of each valid
 * relationship path.
 */
export function rowFacts(row: StoredRow, rows: readonly StoredRow[]): NonNullable<Facts['row']> {
  const fields = Object.fromEntries(orders.fields.map(({ id, name }) => [name, row.values[id]]));
  const held = (one: StoredRow | undefined, tableId: string, id: string) =>
    one?.tableId === tableId ? one.values[id] : undefined;
  const at = (id: unknown) => rows.find((one) => one.id === id);
  const project = at(row.values['fld_project']);
  const team = at(held(project, 'tbl_projects', 'fld_team'));
  const first = at(held(team, 'tbl_teams', 'fld_first'));
  const ends = [
    row.values['fld_owner'],
    held(project, 'tbl_projects', 'fld_lead'),
    held(team, 'tbl_teams', 'fld_boss'),
    held(first, 'tbl_orders', 'fld_owner'),
  ];
  const related = sound.map((path, n) => [path, typeof ends[n] === 'string' ? [ends[n]] : []] as const);
  return { createdBy: row.createdBy, fields, related: new Map(related) };
}
