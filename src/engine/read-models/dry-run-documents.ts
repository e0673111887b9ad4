import type { RecordedEvent } from '../../kernel/event/event.js';
import type { Document, DocumentChange, Projection, Range, Scalar, Where } from '../../kernel/record/projection.js';
import { matchesFilter, matchesSearch, ownFieldOf } from '../../kernel/rows/row-filter.js';
import { compareValues, type Sort } from '../../kernel/rows/row-order.js';
import type { Counting, Query, ReadStore } from '../../ports/read-store.port.js';
import type { DryRun } from '../dry-run/dry-run.js';
import { type OpenedData, withPersonalDataOpened } from './opened-events.js';
import { type ReadModels, reads } from './read-models.js';

interface Changed {
  readonly documents: Map<string, Document | undefined>;
  readonly removed: Where[];
}

interface Built {
  readonly collections: Map<string, Changed>;
  upTo: number;
}

export class DryRunDocuments {
  private readonly built = new Map<string, Built>();
  private lastUpdate: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly dryRun: DryRun,
    private readonly store: ReadStore,
    private readonly models: ReadModels,
    private readonly opened: OpenedData,
  ) {}

  async get<D extends Document>(collection: string, id: string): Promise<D | undefined> {
    const changed = await this.changed(collection);
    if (changed?.documents.has(id)) return changed.documents.get(id) as D | undefined;
    return this.base(collection, changed, id) as Promise<D | undefined>;
  }

  async find<D extends Document>(collection: string, query: Query): Promise<readonly D[]> {
    const changed = await this.changed(collection);
    if (changed === undefined) return this.store.find<D>(collection, query);
    const { skip = 0, limit = Number.POSITIVE_INFINITY } = query;
    // The changed documents are removed from the real result, so the limit is raised by their number. After a removal
    // by condition this number is unknown, so there is no limit.
    const most = changed.removed.length > 0 ? Number.POSITIVE_INFINITY : skip + limit + changed.documents.size;
    const { skip: _, limit: __, ...rest } = query;
    const real = await this.store.find<D>(collection, Number.isFinite(most) ? { ...rest, limit: most } : rest);
    const order = orderOf(query);
    const own = [...changed.documents.values()].filter(
      (one): one is D => one !== undefined && matches(one, query) && isAfter(one, query),
    );
    const unchanged = real.filter(({ id }) => !changed.documents.has(id)).filter((one) => !isRemoved(changed, one));
    return [...unchanged, ...own].sort(order).slice(skip, skip + limit);
  }

  async count(collection: string, where: Where, counting: Counting = {}): Promise<number> {
    const { most = Number.POSITIVE_INFINITY, ...narrowing } = counting;
    const changed = await this.changed(collection);
    if (changed === undefined) return this.store.count(collection, where, counting);
    const real = await this.store.count(collection, where, narrowing);
    if (changed.removed.length > 0)
      return Math.min((await this.find(collection, { where, ...narrowing })).length, most);
    const before = await Promise.all([...changed.documents.keys()].map((id) => this.store.get(collection, id)));
    const isMatch = (one: Document | undefined) => one !== undefined && matches(one, { where, ...narrowing });
    const now = real - before.filter(isMatch).length + [...changed.documents.values()].filter(isMatch).length;
    return Math.min(now, most);
  }

  private async changed(collection: string): Promise<Changed | undefined> {
    const keeper = this.models.builderOf(collection);
    const projection = this.models.all.find(({ name }) => name === keeper);
    if (projection === undefined || this.dryRun.written.length === 0) return undefined;
    const mine = this.lastUpdate.then(() => this.brought(projection));
    this.lastUpdate = mine.catch(() => undefined);
    return (await mine).collections.get(collection);
  }

  private async brought(projection: Projection): Promise<Built> {
    const built = this.built.get(projection.name) ?? { collections: new Map<string, Changed>(), upTo: 0 };
    this.built.set(projection.name, built);
    const fresh = this.dryRun.written.slice(built.upTo).filter((event) => reads(projection.reads, event));
    built.upTo = this.dryRun.written.length;
    for (const event of await withPersonalDataOpened([{ projection }], fresh, this.opened))
      await this.take(built, projection, event);
    return built;
  }

  private async take({ collections }: Built, projection: Projection, event: RecordedEvent): Promise<void> {
    for (const change of projection.changes(event)) {
      const changed = collections.get(change.collection) ?? { documents: new Map(), removed: [] };
      collections.set(change.collection, changed);
      await this.apply(changed, change);
    }
  }

  private async apply(changed: Changed, change: DocumentChange): Promise<void> {
    const { documents } = changed;
    if (change.kind === 'put') documents.set(change.id, change.document);
    else if (change.kind === 'step') {
      const { id, collection } = change;
      const before = documents.has(id) ? documents.get(id) : await this.base(collection, changed, id);
      documents.set(id, change.step(before));
    } else if (change.kind === 'removeWhere') {
      changed.removed.push(change.where);
      for (const [id, one] of documents) if (one && matchesWhere(one, change.where)) documents.set(id, undefined);
    }
  }

  private async base(collection: string, changed: Changed | undefined, id: string): Promise<Document | undefined> {
    const found = await this.store.get(collection, id);
    return found !== undefined && changed !== undefined && isRemoved(changed, found) ? undefined : found;
  }
}

const isRemoved = ({ removed }: Changed, one: Document) => removed.some((where) => matchesWhere(one, where));

function matches(one: Document, { where, filter, search }: Pick<Query, 'where'> & Counting): boolean {
  return (
    matchesWhere(one, where) &&
    (filter === undefined || matchesFilter(one, filter)) &&
    (search === undefined || matchesSearch(one, search))
  );
}

function matchesWhere(document: Document, where: Where): boolean {
  return Object.entries(where).every(([field, condition]) => {
    const value = ownFieldOf(document, field) as Scalar | undefined;
    return typeof condition === 'object' && condition !== null ? isIn(value, condition) : (value ?? null) === condition;
  });
}

function isIn(value: Scalar | undefined, range: Range): boolean {
  if (range.in !== undefined && !range.in.includes(value ?? null)) return false;
  const bounds = [
    [range.gt, (sign: number) => sign > 0],
    [range.gte, (sign: number) => sign >= 0],
    [range.lt, (sign: number) => sign < 0],
    [range.lte, (sign: number) => sign <= 0],
  ] as const;
  return bounds.every(([bound, holds]) => {
    if (bound === undefined) return true;
    return typeof value === typeof bound && holds(compareValues(value, bound, 'asc'));
  });
}

type Sorted = Pick<Query, 'sort' | 'missing'>;
type SortKey = readonly (string | number | boolean | null | undefined)[];

const totalOf = ({ sort = [] }: Sorted): Sort => [...sort, ['id', sort.at(-1)?.[1] ?? 'asc']];

function sortKeyOf(document: Document, query: Sorted): SortKey {
  return totalOf(query).map(([field]) => ownFieldOf(document, field) as Scalar | undefined);
}

function compared(left: SortKey, right: SortKey, query: Sorted): number {
  for (const [at, [, direction]] of totalOf(query).entries()) {
    const sign = compareValues(left[at], right[at], direction);
    const isMissing = left[at] == null || right[at] == null;
    // Missing values are first in ascending order, unless the query states otherwise.
    if (sign !== 0) return isMissing && direction === 'asc' && query.missing !== 'last' ? -sign : sign;
  }
  return 0;
}

const orderOf = (query: Sorted) => (left: Document, right: Document) =>
  compared(sortKeyOf(left, query), sortKeyOf(right, query), query);

const isAfter = (one: Document, query: Query) =>
  query.after === undefined || compared(sortKeyOf(one, query), query.after, query) > 0;
