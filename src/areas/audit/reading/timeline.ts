import type { Reads } from '../../../engine/scopes/reads.js';
import type { Where } from '../../../kernel/record/projection.js';
import { recordCategories, recordKind } from '../../../kernel/record/record.js';
import { type AuditEntry, type AuditStretch, auditedCategories, stretchLength } from './audit-reading.record.js';

export interface TimelineWish {
  /** If undefined, all kinds are included, but `auditReading` only if `types` or `resourceId` is given. */
  readonly kinds: readonly string[] | undefined;
  readonly types: readonly string[] | undefined;
  readonly resourceId: string | undefined;
  readonly actorId: string | undefined;
  /** ISO 8601 in UTC with milliseconds. `from` is inclusive, `to` is exclusive. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Only events before this log position are included. */
  readonly before: number | undefined;
  readonly limit: number;
}

/**
 * Returns the newest entries first. The cost of a page does not depend on the size of the index: each combination of
 * kind and type is a query that reads one range of an index, and the results are merged.
 */
export async function timeline(reads: Reads, workspaceId: string, wish: TimelineWish): Promise<readonly AuditEntry[]> {
  const bounds = await boundsOf(reads, workspaceId, wish);
  if (bounds === undefined) return [];
  const { limit } = wish;
  const sort = [['position', 'desc']] as const;
  const found = await Promise.all(
    disjointConditions(wish).map((condition) =>
      reads.find<AuditEntry>(workspaceId, 'audit', { where: { ...condition, ...bounds }, sort, limit }),
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
 * Times do not always increase with positions, because a clock can be set back. Therefore the earliest and the latest
 * time of each stretch (a range of positions) are stored. Returns undefined if no event can match.
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
    // If there are no stretches at all, an earlier version of the service built the read model. Until it has been
    // rebuilt, positions are not limited by the times.
    return (await stretch({}, 'asc')) === undefined ? { at, position: { gte: 0, ...last } } : undefined;
  }
  const behind = end === undefined ? Number.MAX_SAFE_INTEGER : (end + 1) * stretchLength;
  return { at, position: { gte: first * stretchLength, lt: Math.min(before ?? behind, behind) } };
}

function disjointConditions(wish: TimelineWish): readonly Where[] {
  const { types, resourceId } = wish;
  // To use the index for resources, whose first fields are the resource's id and kind, a query must always name a kind.
  const kinds = wish.kinds ?? (resourceId === undefined ? undefined : auditedCategories());
  if (types === undefined) return (kinds ?? [undefined]).map((kind) => conditionOf(wish, kind, undefined));
  return types.flatMap((type) => {
    if (kinds === undefined) return [conditionOf(wish, undefined, type)];
    const isKnown = isDeclared(type);
    // Kinds without a record declaration declare no types, so every type is possible.
    const having = isKnown ? kinds.filter((kind) => recordKind(kind)?.types.includes(type) ?? true) : kinds;
    if (resourceId !== undefined) return having.map((kind) => conditionOf(wish, kind, type));
    const { actorId } = wish;
    if (actorId !== undefined) return [{ actorId, type, kind: { in: having } }];
    // If no kind declares the type, another version of the service recorded it.
    return isKnown ? having.map((kind) => conditionOf(wish, kind, type)) : [{ type, kind: { in: having } }];
  });
}

const isDeclared = (type: string) => recordCategories().some((kind) => recordKind(kind)?.types.includes(type));

/**
 * Builds a condition that fits exactly one index: the index's first fields are compared with `=`, all others with `in`.
 * SQLite does not know which values are rare, so with `=` for all fields it could choose another index.
 */
function conditionOf({ resourceId, actorId }: TimelineWish, kind: string | undefined, type: string | undefined): Where {
  if (resourceId !== undefined) {
    return { resourceId, ...equal({ kind }), ...among({ type, actorId }) };
  }
  // Events of the kind `auditReading` are listed only on request. Otherwise each look at the list would add an entry.
  const listed = kind === undefined && type === undefined ? { listed: true } : {};
  return { ...equal({ actorId, kind, type }), ...listed };
}

type Values = Readonly<Record<string, string | undefined>>;

const given = (values: Values) =>
  Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
const equal = (values: Values): Where => Object.fromEntries(given(values));
const among = (values: Values): Where =>
  Object.fromEntries(given(values).map(([field, value]) => [field, { in: [value] }]));
