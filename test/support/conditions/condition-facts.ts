import type { Policies, Policy } from '../../../src/kernel/condition/condition.js';
import type { Facts, PersonFacts, RowFacts } from '../../../src/kernel/judging/facts.js';

export const now = Date.parse('2030-06-01T12:00:00Z');

/** Returns facts about a visitor of the site, by default for a place in which every rule is allowed. */
export function facts(given: Partial<Facts> = {}): Facts {
  return { now, place: 'row', throughSite: true, ...given };
}

export function person(given: Partial<PersonFacts> = {}): PersonFacts {
  return { id: 'user_ada', email: 'ada@example.com', roleIds: [], entitlements: [], properties: {}, ...given };
}

export function row(given: Partial<RowFacts> = {}): RowFacts {
  return { createdBy: null, fields: {}, ...given };
}

/** Returns the policies by id. The name of each is its id. */
export function policies(conditions: Readonly<Record<string, unknown>> = {}): Policies {
  const known = new Map<string, Policy>(
    Object.entries(conditions).map(([id, condition]) => [id, { name: id, condition }]),
  );
  return (id) => known.get(id);
}

export const noPolicies = policies();
