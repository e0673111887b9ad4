import { builtins } from '../builtin/builtin.api.js';
import { type OfSite, siteProperties } from '../builtin/builtin-line.api.js';
import { allMatch, compile } from './event-filter.js';
import { patternsOf } from './event-pattern.js';
import type { TriggerFilter } from './event-trigger.record.js';

export interface AwaitedTerms {
  /** An event pattern. */
  readonly event: string;
  readonly filters: readonly TriggerFilter[];
}

/** A site whose events a trigger waits for, named by the value of the property `by`. */
export interface NamedSite extends OfSite {
  readonly value: string;
}

type SiteProperty = OfSite['by'];

export interface SiteEvents {
  readonly named: readonly NamedSite[];
  /** Properties that no filter restricts, so the trigger waits for the events of every site that have them. */
  readonly unnamed: readonly SiteProperty[];
}

/** Returns the sites whose built-in events can fire a trigger with these terms. */
export function siteEventsOf({ event, filters }: AwaitedTerms): SiteEvents {
  const named = new Map<string, NamedSite>();
  const unnamed = new Set<SiteProperty>();
  for (const { name, ofSite } of builtins) {
    if (ofSite === undefined || !patternsOf(name).includes(event) || !canMatch(name, ofSite, filters)) continue;
    const values = valuesOf(ofSite.by, filters);
    if (values === undefined) unnamed.add(ofSite.by);
    for (const value of values ?? []) named.set(`${ofSite.kind} ${value}`, { ...ofSite, value });
  }
  return { named: [...named.values()], unnamed: [...unnamed] };
}

/** Ignores filters on values that only the event itself shows. */
function canMatch(name: string, { by }: OfSite, filters: readonly TriggerFilter[]): boolean {
  const missing: readonly string[] = siteProperties.filter((property) => property !== by);
  const known = filters.filter(({ field }) => field === 'name' || field === 'source' || missing.includes(field));
  const isExcluded = filters.some(({ field, op }) => field === by && op === 'isEmpty');
  return !isExcluded && allMatch(known.map(compile), { name, origin: '', subject: {}, properties: {} });
}

function valuesOf(by: SiteProperty, filters: readonly TriggerFilter[]): readonly string[] | undefined {
  const naming = filters.find(({ field, op }) => field === by && (op === 'eq' || op === 'in'));
  return naming && [naming.value ?? []].flat().map(String);
}

const words: Readonly<Record<SiteProperty, string>> = {
  tableId: "{ field: 'tableId', op: 'eq', value } for the rows of a table",
  projectId: "{ field: 'projectId', op: 'eq', value } for the events of a site",
  siteId: "{ field: 'siteId', op: 'eq', value } for the runs of a site's functions, or 'isEmpty' for the workspace's",
};

/** The message for the caller whose filters name no site. */
export function unnamedSites(unnamed: readonly SiteProperty[]): string {
  const choices = unnamed.map((property) => words[property]).join('; or ');
  return `must name what an agent or code waits for: ${choices}`;
}
