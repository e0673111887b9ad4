import { ObjectId } from 'bson';
import { changed, checked, isReplacement } from './change.js';
import { filterOf } from './filter.js';
import { compare, keyText, valueAt } from './order.js';
import { badValue, Refusal, writeConflict } from './refusal.js';
import type { Transaction, Transactions } from './transactions.js';
import type { Fields } from './wire.js';

export interface HeldIndex {
  readonly name: string;
  readonly key: Fields;
  readonly unique?: boolean;
  readonly partialFilterExpression?: Fields;
  readonly expireAfterSeconds?: number;
}

export interface UpdateStatement {
  readonly q: Fields;
  readonly u: Fields;
  readonly upsert?: boolean;
  readonly multi?: boolean;
}

export interface Updated {
  readonly matched: number;
  readonly modified: number;
  readonly upserted?: unknown;
}

interface Version {
  readonly time: number;
  /** Undefined if the document was deleted. */
  readonly document: Fields | undefined;
}

/** Determines what a command sees of the data, and how it writes. */
export interface View {
  /** Time of the state that the command sees. */
  readonly at: number;
  readonly transaction: Transaction | undefined;
  readonly transactions: Transactions;
  /** Returns the time of the next write. */
  readonly now: () => number;
  /** Time before which no read needs the data any more. */
  readonly oldest: number;
}

/** A collection in memory, with the versions of each document over time. Stored documents are never modified. */
export class HeldCollection {
  readonly indexes = new Map<string, HeldIndex>([['_id_', { name: '_id_', key: { _id: 1 } }]]);
  private readonly versions = new Map<string, readonly Version[]>();
  /** Size limit in bytes. Undefined if the collection is not capped. */
  cappedAt: number | undefined;
  /** Documents of a capped collection, in the order in which they were inserted. */
  readonly order: { readonly key: string; readonly document: Fields; readonly bytes: number }[] = [];
  /** Number of the oldest documents that the cap has removed. */
  forgotten = 0;
  private bytes = 0;

  constructor(readonly namespace: string) {}

  get size(): number {
    return this.versions.size;
  }

  keys(): Iterable<string> {
    return this.versions.keys();
  }

  at(key: string, time: number): Fields | undefined {
    return this.versions.get(key)?.findLast((one) => one.time <= time)?.document;
  }

  /** Time of the document's last write. */
  changedAt(key: string): number {
    return this.versions.get(key)?.at(-1)?.time ?? 0;
  }

  private cap(key: string, document: Fields): void {
    const bytes = JSON.stringify(document).length;
    this.order.push({ key, document, bytes });
    this.bytes += bytes;
    for (; this.bytes > (this.cappedAt ?? 0); this.forgotten += 1) {
      const oldest = this.order[this.forgotten];
      this.bytes -= oldest?.bytes ?? 0;
      this.versions.delete(oldest?.key ?? '');
      delete this.order[this.forgotten];
    }
  }

  /** Adds a version, and removes versions that no read needs any more. */
  put(key: string, version: Version, oldest: number): void {
    const all = [...(this.versions.get(key) ?? []), version];
    if (this.cappedAt !== undefined && version.document !== undefined) this.cap(key, version.document);
    const from = Math.max(
      0,
      all.findLastIndex(({ time }) => time <= oldest),
    );
    const kept = all.slice(from);
    if (kept.length === 1 && kept[0]?.document === undefined && version.time <= oldest) this.versions.delete(key);
    else this.versions.set(key, kept);
  }

  seenBy(view: View): CollectionView {
    return new CollectionView(this, view);
  }

  /** @throws Refusal if the index is unique and two documents have the same values */
  addIndex(index: HeldIndex, view: View): void {
    this.indexes.set(index.name, index);
    try {
      this.seenBy({ ...view, at: Number.POSITIVE_INFINITY }).mustAllBeUnique();
    } catch (error) {
      this.indexes.delete(index.name);
      throw error;
    }
  }
}

/** A collection as one command sees it. */
export class CollectionView {
  private readonly own: ReadonlyMap<string, Fields | undefined>;

  constructor(
    private readonly held: HeldCollection,
    private readonly view: View,
  ) {
    this.own = view.transaction?.overlays.get(held.namespace) ?? new Map();
  }

  find(criteria: unknown): readonly Fields[] {
    const filter = filterOf(criteria);
    const candidates = filter.ids?.map((id) => this.get(keyText(id))) ?? this.all();
    return [...new Set(candidates)].filter((one) => one !== undefined && filter.matches(one)) as Fields[];
  }

  insert(document: Fields): void {
    const whole = checked({ _id: new ObjectId(), ...document });
    this.mustBeUnique(whole, undefined);
    this.put(keyText(whole['_id']), whole);
  }

  update({ q, u, upsert = false, multi = false }: UpdateStatement): Updated {
    if (multi && isReplacement(u)) throw new Refusal(9, 'FailedToParse', 'multi update is not supported here');
    const found = this.find(q).slice(0, multi ? undefined : 1);
    if (found.length === 0 && upsert) return { matched: 0, modified: 0, upserted: this.upsert(q, u) };
    let modified = 0;
    for (const before of found) {
      const after = changed(before, u, false);
      if (compare(before, after) !== 0) modified += 1;
      this.mustBeUnique(after, before);
      this.put(keyText(before['_id']), after);
    }
    return { matched: found.length, modified };
  }

  delete(criteria: Fields, limit: number): number {
    const found = this.find(criteria).slice(0, limit === 0 ? undefined : limit);
    for (const { _id } of found) this.put(keyText(_id), undefined);
    return found.length;
  }

  mustAllBeUnique(): void {
    for (const document of this.all()) this.mustBeUnique(document, document);
  }

  private get(key: string, at = this.view.at): Fields | undefined {
    return this.own.has(key) ? this.own.get(key) : this.held.at(key, at);
  }

  private all(at = this.view.at): readonly Fields[] {
    const keys = new Set([...this.held.keys(), ...this.own.keys()]);
    return [...keys].map((key) => this.get(key, at)).filter((one) => one !== undefined);
  }

  /**
   * @throws Refusal if another open transaction has written the document, or if it was written after this transaction
   * began
   */
  private put(key: string, document: Fields | undefined): void {
    const { transaction, transactions, now, oldest } = this.view;
    const { namespace } = this.held;
    transactions.mustBeFree(namespace, key, transaction);
    if (transaction === undefined) {
      this.held.put(key, { time: now(), document }, oldest);
      return;
    }
    if (this.held.changedAt(key) > transaction.snapshot) throw writeConflict(true);
    transaction.of(namespace).set(key, document);
  }

  private upsert(q: Fields, u: Fields): unknown {
    const equal = Object.entries(q).flatMap(([path, condition]) => {
      if (typeof condition !== 'object' || condition === null) return [[path, condition] as const];
      return '$eq' in condition ? [[path, condition.$eq] as const] : [];
    });
    const seed = changed({}, { $set: Object.fromEntries(equal) }, true);
    const document = changed('_id' in seed ? seed : { _id: new ObjectId(), ...seed }, u, true);
    this.mustBeUnique(document, undefined);
    this.put(keyText(document['_id']), document);
    return document['_id'];
  }

  private mustBeUnique(document: Fields, before: Fields | undefined): void {
    const id = keyText(document['_id']);
    if (before === undefined && this.get(id) !== undefined) throw this.duplicate('_id_', { _id: 1 }, document);
    for (const { name, key, unique, partialFilterExpression } of this.held.indexes.values()) {
      if (unique !== true) continue;
      const indexed = filterOf(partialFilterExpression ?? {});
      if (!indexed.matches(document)) continue;
      const values = keyOf(document, key);
      for (const other of this.all(Number.POSITIVE_INFINITY)) {
        if (keyText(other['_id']) !== id && indexed.matches(other) && keyOf(other, key) === values) {
          throw this.duplicate(name, key, document);
        }
      }
    }
  }

  private duplicate(name: string, keyPattern: Fields, document: Fields): Refusal {
    const keyValue = Object.fromEntries(Object.keys(keyPattern).map((path) => [path, valueAt(document, path) ?? null]));
    const message = `E11000 duplicate key error collection: ${this.held.namespace} index: ${name} dup key: ${JSON.stringify(keyValue)}`;
    return new Refusal(11000, 'DuplicateKey', message, { keyPattern, keyValue });
  }
}

const keyOf = (document: Fields, key: Fields): string =>
  Object.keys(key)
    .map((path) => keyText(valueAt(document, path)))
    .join();

/** Returns the `_id` and the listed fields. Only simple inclusions are supported. */
export function projected(document: Fields, projection: Fields | undefined): Fields {
  if (projection === undefined || Object.keys(projection).length === 0) return document;
  if (Object.values(projection).some((value) => value !== 1)) throw badValue('Only inclusions are projected here.');
  return Object.fromEntries(Object.entries(document).filter(([key]) => key === '_id' || key in projection));
}
