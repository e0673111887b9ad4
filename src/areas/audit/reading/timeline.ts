import type { Reads } from '../../../engine/scopes/reads.js';
import type { Where } from '../../../kernel/record/projection.js';
import { recordCategories, recordKind } from '../../../kernel/record/record.js';
import { type AuditEntry, type AuditStretch, auditedCategories, stretchLength } from './audit-reading.record.js';

export interface TimelineWish {
  /** Undefined: of every kind that is listed. */
  readonly kinds: readonly string[] | undefined;
  readonly types: readonly string[] | undefined;
  readonly resourceId: string | undefined;
  readonly actorId: string | undefined;
  /** ISO 8601 UTC with milliseconds: from this time on, and before this one. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Only events before this position. */
  readonly before: number | undefined;
  readonly limit: number;
}

/**
 * Entries of the audit's index, newest first. However large the index, a page costs about the same: each combination of
 * a kind and a type is a query of its own that reads one stretch of one index, and the answers are put together.
 */
export async function timeline(reads: Reads, workspaceId: string, wish: TimelineWish): Promise<readonly AuditEntry[]> {
  const bounds = await boundsOf(reads, workspaceId, wish);
  if (bounds === undefined) return [];
  const { limit } = wish;
  const sort = [['position', 'desc']] as const;
  const found = await Promise.all(
    branches(wish).map((branch) =>
      reads.find<AuditEntry>(workspaceId, 'audit', { where: { ...branch, ...bounds }, sort, limit }),
    ),
  );
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  return found
    .flat()
    .sort((a, b) => b.position - a.position)
    .slice(0, limit);
}

/**
 * Limits by time and position. Times alone do not say where in the log to look, since a clock may have been set back. The
 * stretches do: each knows its earliest and its latest time. Undefined: nothing can be within the times.
 */
async function boundsOf(
  reads: Reads,
  workspaceId: string,
  { from, to, before }: TimelineWish,
): Promise<Where | undefined> {
  const last = { ...(before === undefined ? {} : { lt: before }) };
  if (from === undefined && to === undefined) return before === undefined ? {} : { position: last };
  const at = { ...(from === undefined ? {} : { gte: from }), ...(to === undefined ? {} : { lt: to }) };
  const stretch = async (where: Where, direction: 'asc' | 'desc') => {
    const query = { where, sort: [['number', direction]] as const, limit: 1 };
    return (await reads.find<AuditStretch>(workspaceId, 'auditStretches', query))[0]?.number;
  };
  const first = from === undefined ? 0 : await stretch({ latest: { gte: from } }, 'asc');
  const end = to === undefined ? undefined : await stretch({ earliest: { lt: to } }, 'desc');
  if (first === undefined || (to !== undefined && end === undefined)) {
    // A read model of an earlier version has no stretches, until the new one is built.
    return (await stretch({}, 'asc')) === undefined ? { at, position: { gte: 0, ...last } } : undefined;
  }
  const behind = end === undefined ? Number.MAX_SAFE_INTEGER : (end + 1) * stretchLength;
  return { at, position: { gte: first * stretchLength, lt: Math.min(before ?? behind, behind) } };
}

/** Conditions of which each entry fulfils at most one. */
function branches(wish: TimelineWish): readonly Where[] {
  const { types, resourceId } = wish;
  // The kind leads to the resource by one index alone, so that no store chooses another.
  const kinds = wish.kinds ?? (resourceId === undefined ? undefined : auditedCategories());
  if (types === undefined) return (kinds ?? [undefined]).map((kind) => branch(wish, kind, undefined));
  return types.flatMap((type) => {
    if (kinds === undefined) return [branch(wish, undefined, type)];
    const isKnown = isDeclared(type);
    // Kinds that are no records do not declare their types.
    const having = isKnown ? kinds.filter((kind) => recordKind(kind)?.types.includes(type) ?? true) : kinds;
    if (resourceId !== undefined) return having.map((kind) => branch(wish, kind, type));
    const { actorId } = wish;
    if (actorId !== undefined) return [{ actorId, type, kind: { in: having } }];
    // A type that no kind declares was recorded by another version of the service, if at all.
    return isKnown ? having.map((kind) => branch(wish, kind, type)) : [{ type, kind: { in: having } }];
  });
}

const isDeclared = (type: string) => recordCategories().some((kind) => recordKind(kind)?.types.includes(type));

/**
 * What an index of the projection holds in this order is asked for as equal, and the rest as one of a list: SQLite would
 * otherwise choose between indexes without knowing which of the values is rare.
 */
function branch({ resourceId, actorId }: TimelineWish, kind: string | undefined, type: string | undefined): Where {
  if (resourceId !== undefined) {
    return { resourceId, ...equal({ kind }), ...among({ type, actorId }) };
  }
  // Readings of the audit are listed only on request, so that reading the list does not fill it.
  const listed = kind === undefined && type === undefined ? { listed: true } : {};
  return { ...equal({ actorId, kind, type }), ...listed };
}

type Wanted = Readonly<Record<string, string | undefined>>;

const given = (wanted: Wanted) =>
  Object.entries(wanted).filter((entry): entry is [string, string] => entry[1] !== undefined);
const equal = (wanted: Wanted): Where => Object.fromEntries(given(wanted));
const among = (wanted: Wanted): Where =>
  Object.fromEntries(given(wanted).map(([field, value]) => [field, { in: [value] }]));
