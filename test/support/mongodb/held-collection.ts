import { ObjectId } from 'bson';
import { changed, checked, isReplacement } from './change.js';
import { filterOf } from './filter.js';
import { keyText, valueAt } from './order.js';
import { badValue, Refusal } from './refusal.js';
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

/** One collection in memory. Documents are never changed in place. */
export class HeldCollection {
  readonly indexes = new Map<string, HeldIndex>([['_id_', { name: '_id_', key: { _id: 1 } }]]);
  private readonly documents = new Map<string, Fields>();

  constructor(private readonly namespace: string) {}

  find(criteria: unknown): readonly Fields[] {
    const filter = filterOf(criteria);
    const candidates = filter.ids?.map((id) => this.documents.get(keyText(id))) ?? [...this.documents.values()];
    return [...new Set(candidates)].filter((one) => one !== undefined && filter.matches(one)) as Fields[];
  }

  insert(document: Fields): void {
    const whole = checked({ _id: new ObjectId(), ...document });
    this.mustBeUnique(whole, undefined);
    this.documents.set(keyText(whole['_id']), whole);
  }

  update({ q, u, upsert = false, multi = false }: UpdateStatement): Updated {
    if (multi && isReplacement(u)) throw new Refusal(9, 'FailedToParse', 'multi update is not supported here');
    const found = this.find(q).slice(0, multi ? undefined : 1);
    if (found.length === 0 && upsert) return { matched: 0, modified: 0, upserted: this.upsert(q, u) };
    for (const before of found) {
      const after = changed(before, u, false);
      this.mustBeUnique(after, before);
      this.documents.set(keyText(before['_id']), after);
    }
    return { matched: found.length, modified: found.length };
  }

  delete(criteria: Fields, limit: number): number {
    const found = this.find(criteria).slice(0, limit === 0 ? undefined : limit);
    for (const { _id } of found) this.documents.delete(keyText(_id));
    return found.length;
  }

  addIndex(index: HeldIndex): void {
    for (const path of Object.keys(index.key)) {
      // A wildcard stands for all fields below.
      const keys = path.endsWith('.$**') ? path.slice(0, -4).split('.') : path.split('.');
      if (keys.some((key) => key === '' || key.startsWith('$'))) {
        throw new Refusal(67, 'CannotCreateIndex', `Index key path '${path}' is not allowed.`);
      }
    }
    const known = this.indexes.get(index.name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(index)) {
      throw new Refusal(86, 'IndexKeySpecsConflict', `An index ${index.name} exists with another specification.`);
    }
    this.indexes.set(index.name, index);
    try {
      for (const document of this.documents.values()) this.mustBeUnique(document, document);
    } catch (error) {
      this.indexes.delete(index.name);
      throw error;
    }
  }

  /** What an upsert inserts: the equalities of the filter, and then the update on them. */
  private upsert(q: Fields, u: Fields): unknown {
    const equal = Object.entries(q).flatMap(([path, condition]) => {
      if (typeof condition !== 'object' || condition === null) return [[path, condition] as const];
      return '$eq' in condition ? [[path, condition.$eq] as const] : [];
    });
    const seed = changed({}, { $set: Object.fromEntries(equal) }, true);
    const document = changed('_id' in seed ? seed : { _id: new ObjectId(), ...seed }, u, true);
    this.mustBeUnique(document, undefined);
    this.documents.set(keyText(document['_id']), document);
    return document['_id'];
  }

  private mustBeUnique(document: Fields, before: Fields | undefined): void {
    const id = keyText(document['_id']);
    if (before === undefined && this.documents.has(id)) throw this.duplicate('_id_', { _id: 1 }, document);
    for (const { name, key, unique, partialFilterExpression } of this.indexes.values()) {
      if (unique !== true) continue;
      const indexed = filterOf(partialFilterExpression ?? {});
      if (!indexed.matches(document)) continue;
      const values = keyOf(document, key);
      for (const [otherId, other] of this.documents) {
        if (otherId !== id && indexed.matches(other) && keyOf(other, key) === values) {
          throw this.duplicate(name, key, document);
        }
      }
    }
  }

  private duplicate(name: string, keyPattern: Fields, document: Fields): Refusal {
    const keyValue = Object.fromEntries(Object.keys(keyPattern).map((path) => [path, valueAt(document, path) ?? null]));
    const message = `E11000 duplicate key error collection: ${this.namespace} index: ${name} dup key: ${JSON.stringify(keyValue)}`;
    return new Refusal(11000, 'DuplicateKey', message, { keyPattern, keyValue });
  }
}

const keyOf = (document: Fields, key: Fields): string =>
  Object.keys(key)
    .map((path) => keyText(valueAt(document, path)))
    .join();

/** Only what is taken over as it is: names and `_id`. */
export function projected(document: Fields, projection: Fields | undefined): Fields {
  if (projection === undefined || Object.keys(projection).length === 0) return document;
  if (Object.values(projection).some((value) => value !== 1)) throw badValue('Only inclusions are projected here.');
  return Object.fromEntries(Object.entries(document).filter(([key]) => key === '_id' || key in projection));
}
