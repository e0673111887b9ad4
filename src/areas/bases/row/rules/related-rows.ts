import type { RowTest } from '../../../../kernel/judging/judge-on-rows.js';
import type { Filter, RowComparison } from '../../../../kernel/rows/row-filter.js';
import type { RelationshipReach } from './relationship-path.js';
import type { Allowed, RuleTest } from './row-rules.js';

export type RowScope = 'everything' | 'nothing' | Filter;

export type FindIds = (tableId: string, filter: Filter, limit: number) => Promise<readonly string[]>;

/** Maximum number of rows that may match in one step of a relationship. If more match, the rule gives no access. */
export const mostRelatedRows = 10_000;

/**
 * The rows with the caller in their `user` field are found first, then the rows that refer to them, and so on back to
 * the table of the rule. Each different relationship is resolved only once.
 */
export async function followed(allowed: Allowed, findIds: FindIds): Promise<RowScope> {
  if (typeof allowed === 'string') return allowed;
  const found = new Map<string, RowComparison | undefined>();
  for (const test of reachesOf(allowed)) {
    const key = JSON.stringify(test);
    if (!found.has(key)) found.set(key, await comparisonOf(test, findIds));
  }
  if ([...found.values()].includes(undefined)) return 'nothing';
  return filterOf(allowed, (test) => found.get(JSON.stringify(test)) as RowComparison);
}

type ReachTest = { readonly reach: RelationshipReach; readonly userId: string };

async function comparisonOf({ reach, userId }: ReachTest, findIds: FindIds): Promise<RowComparison | undefined> {
  let test: RowComparison = { field: reach.userField, kind: 'text', operator: 'eq', value: userId };
  for (const { field, tableId } of [...reach.hops].reverse()) {
    const ids = await findIds(tableId, test, mostRelatedRows + 1);
    if (ids.length > mostRelatedRows) return undefined;
    test = { field, kind: 'text', operator: 'in', value: [...ids] };
  }
  return test;
}

function reachesOf(test: RowTest<RuleTest>): readonly ReachTest[] {
  if ('all' in test) return test.all.flatMap(reachesOf);
  if ('any' in test) return test.any.flatMap(reachesOf);
  if ('not' in test) return reachesOf(test.not);
  return 'reach' in test ? [test] : [];
}

function filterOf(test: RowTest<RuleTest>, found: (test: ReachTest) => RowComparison): Filter {
  if ('all' in test) return { all: test.all.map((one) => filterOf(one, found)) };
  if ('any' in test) return { any: test.any.map((one) => filterOf(one, found)) };
  if ('not' in test) return { not: filterOf(test.not, found) };
  return 'reach' in test ? found(test) : test;
}
