import { Cursors } from './cursors.js';
import { filterOf } from './filter.js';
import { HeldCollection, type HeldIndex, projected, type UpdateStatement, type View } from './held-collection.js';
import { IndexBuilds } from './index-builds.js';
import { bySort } from './order.js';
import { aggregated } from './pipeline.js';
import { badValue, namespaceNotFound, Refusal, unknownField } from './refusal.js';
import { written } from './statements.js';
import type { Fields } from './wire.js';

type Run = (command: Fields, database: string, view: View) => Fields | Promise<Fields>;

/** Fields that every command may have. */
const generic = [
  '$db',
  'lsid',
  'txnNumber',
  '$clusterTime',
  '$readPreference',
  'readConcern',
  'writeConcern',
  'maxTimeMS',
  'startTransaction',
  'autocommit',
];

/** The commands that read and write, each with the fields that it accepts. All others are refused, as by MongoDB. */
export class Commands {
  private readonly collections = new Map<string, HeldCollection>();
  private readonly cursors = new Cursors();
  readonly indexBuilds = new IndexBuilds();

  private readonly known: Readonly<Record<string, readonly [fields: readonly string[], run: Run]>> = {
    ping: [[], () => ({})],
    endSessions: [[], () => ({})],
    insert: [['documents', 'ordered'], (command, database, view) => this.insert(command, database, view)],
    update: [['updates', 'ordered'], (command, database, view) => this.update(command, database, view)],
    delete: [['deletes', 'ordered'], (command, database, view) => this.delete(command, database, view)],
    find: [
      [
        'filter',
        'sort',
        'projection',
        'limit',
        'skip',
        'batchSize',
        'singleBatch',
        'allowDiskUse',
        'tailable',
        'awaitData',
      ],
      (command, database, view) => this.find(command, database, view),
    ],
    aggregate: [
      ['pipeline', 'cursor', 'allowDiskUse'],
      (command, database, view) => this.aggregate(command, database, view),
    ],
    getMore: [['collection', 'batchSize'], (command) => this.cursors.more(command)],
    killCursors: [['cursors'], (command) => this.cursors.kill(command)],
    createIndexes: [
      ['indexes', 'commitQuorum'],
      (command, database, view) => this.createIndexes(command, database, view),
    ],
    listIndexes: [['cursor'], (command, database) => this.listIndexes(command, database)],
    dropIndexes: [['index'], (command, database) => this.dropIndexes(command, database)],
    listCollections: [
      ['filter', 'cursor', 'nameOnly', 'authorizedCollections'],
      (command, database) => this.list(command, database),
    ],
    create: [['capped', 'size'], (command, database) => this.create(command, database)],
    drop: [[], (command, database, view) => this.drop(command, database, view)],
    commitTransaction: [[], (command, _, view) => this.commit(command, view)],
    abortTransaction: [[], (command, _, view) => this.abort(command, view)],
    dropDatabase: [[], (_, database) => this.dropDatabase(database)],
  };

  async run(name: string, command: Fields, view: View): Promise<Fields> {
    const known = this.known[name];
    if (known === undefined) throw new Refusal(59, 'CommandNotFound', `no such command: '${name}'`);
    const [fields, run] = known;
    const strange = Object.keys(command).find((key) => key !== name && !fields.includes(key) && !generic.includes(key));
    if (strange !== undefined) throw unknownField(name, strange);
    return { ...(await run(command, String(command['$db']), view)), ok: 1 };
  }

  indexesOf(collection: string): readonly string[] {
    const all = [...this.collections].filter(([namespace]) => namespace.endsWith(`.${collection}`));
    return all.flatMap(([, held]) => this.indexBuilds.listed(held).map(({ name }) => name));
  }

  private at(database: string, name: unknown): HeldCollection {
    const namespace = namespaceOf(database, name);
    const held = this.collections.get(namespace) ?? new HeldCollection(namespace);
    this.collections.set(namespace, held);
    return held;
  }

  /** Returns a collection without creating it, because a write that matches nothing must not create one. */
  private thereOrNew(database: string, name: unknown): HeldCollection {
    const namespace = namespaceOf(database, name);
    return this.collections.get(namespace) ?? new HeldCollection(namespace);
  }

  private insert({ insert, documents, ordered }: Fields, database: string, view: View): Fields {
    const held = this.at(database, insert).seenBy(view);
    return written(documents as readonly Fields[], ordered, (document) => {
      held.insert(document);
      return { n: 1 };
    });
  }

  private update({ update, updates, ordered }: Fields, database: string, view: View): Fields {
    const collection = this.thereOrNew(database, update);
    const held = collection.seenBy(view);
    return written(updates as readonly (UpdateStatement & Fields)[], ordered, (statement) => {
      const { matched, modified, upserted } = held.update(statement);
      if (upserted !== undefined) this.collections.set(namespaceOf(database, update), collection);
      return upserted === undefined ? { n: matched, nModified: modified } : { n: 1, nModified: 0, upserted };
    });
  }

  private delete({ delete: name, deletes, ordered }: Fields, database: string, view: View): Fields {
    const held = this.thereOrNew(database, name).seenBy(view);
    return written(deletes as readonly Fields[], ordered, ({ q, limit }) => ({
      n: held.delete(q as Fields, Number(limit)),
    }));
  }

  private find(command: Fields, database: string, view: View) {
    const { find, filter, sort, projection, limit, skip, batchSize, singleBatch } = command;
    const namespace = namespaceOf(database, find);
    if (command['tailable'] === true) return this.tail(command, namespace);
    if (Object.keys((sort ?? {}) as Fields).some((path) => path.split('.').some((key) => key.startsWith('$')))) {
      throw new Refusal(16410, 'Location16410', 'FieldPath field names may not start with $.');
    }
    const found =
      this.collections
        .get(namespace)
        ?.seenBy(view)
        .find(filter ?? {}) ?? [];
    const from = Number(skip ?? 0);
    const to = Number(limit ?? 0) === 0 ? undefined : from + Number(limit);
    const page = [...found].sort(bySort((sort ?? {}) as Fields)).slice(from, to);
    const rows = page.map((one) => projected(one, projection as Fields | undefined));
    return this.cursors.open(namespace, rows, singleBatch === true ? rows.length : Number(batchSize ?? 101));
  }

  /** Opens a tailable cursor. It returns all documents in the order in which they were inserted, and then new ones. */
  private tail({ filter, awaitData, batchSize }: Fields, namespace: string): Fields {
    const held = this.collections.get(namespace);
    if (held?.cappedAt === undefined)
      throw badValue('error processing query: tailable cursor requested on non capped collection');
    if (Object.keys((filter ?? {}) as Fields).length > 0 || awaitData !== true) {
      throw badValue('Only all of a collection is awaited here.');
    }
    return this.cursors.tail(namespace, held, Number(batchSize ?? 101));
  }

  private aggregate({ aggregate, pipeline, cursor }: Fields, database: string, view: View): Fields {
    const namespace = namespaceOf(database, aggregate);
    const held = this.collections.get(namespace);
    const rows = aggregated(held, view, pipeline as readonly Fields[], this.indexBuilds);
    return this.cursors.open(namespace, rows, Number((cursor as Fields)['batchSize'] ?? 101));
  }

  private async createIndexes({ createIndexes, indexes }: Fields, database: string, view: View): Promise<Fields> {
    await this.indexBuilds.create(this.at(database, createIndexes), indexes as readonly HeldIndex[], view);
    return {};
  }

  private listIndexes({ listIndexes }: Fields, database: string): Fields {
    const namespace = namespaceOf(database, listIndexes);
    const held = this.collections.get(namespace);
    if (held === undefined) throw namespaceNotFound(namespace);
    const rows = this.indexBuilds.listed(held).map((index) => ({ v: 2, ...index }));
    return this.cursors.open(namespace, rows, rows.length);
  }

  private dropIndexes({ dropIndexes, index }: Fields, database: string): Fields {
    const held = this.collections.get(namespaceOf(database, dropIndexes));
    if (held === undefined) throw namespaceNotFound(namespaceOf(database, dropIndexes));
    const isThere = this.indexBuilds.abort(held, String(index)) || held.indexes.has(String(index));
    if (index === '_id_' || !isThere) {
      throw new Refusal(27, 'IndexNotFound', `index not found with name [${index}]`);
    }
    held.indexes.delete(String(index));
    return {};
  }

  private list({ filter }: Fields, database: string): Fields {
    const names = [...this.collections.keys()].filter((one) => one.startsWith(`${database}.`));
    const { matches } = filterOf(filter ?? {});
    const rows = names.map((one) => ({ name: one.slice(database.length + 1), type: 'collection' })).filter(matches);
    return this.cursors.open(`${database}.$cmd.listCollections`, rows, rows.length);
  }

  private create({ create, capped, size }: Fields, database: string): Fields {
    const namespace = namespaceOf(database, create);
    if (this.collections.has(namespace)) {
      throw new Refusal(48, 'NamespaceExists', `Collection ${namespace} already exists.`);
    }
    const held = this.at(database, create);
    if (capped === true) held.cappedAt = Number(size);
    return {};
  }

  private commit(command: Fields, { transactions, now, oldest }: View): Fields {
    const transaction = transactions.committing(command);
    if (transaction === undefined || transaction.overlays.size === 0) return {};
    const time = now();
    for (const [namespace, overlay] of transaction.overlays) {
      const held = this.collections.get(namespace);
      for (const [key, document] of overlay) held?.put(key, { time, document }, oldest);
    }
    return {};
  }

  private abort(command: Fields, { transactions, at }: View): Fields {
    transactions.of(command, () => at);
    transactions.end(command, 'aborted');
    return {};
  }

  private drop({ drop }: Fields, database: string, { transactions }: View): Fields {
    const namespace = namespaceOf(database, drop);
    const held = this.collections.get(namespace);
    // Since MongoDB 7.0, dropping a collection that does not exist succeeds.
    if (held === undefined) return {};
    this.collections.delete(namespace);
    this.indexBuilds.abortAll(held);
    this.cursors.lose(namespace);
    transactions.abortThoseOn(namespace);
    return { ns: namespace };
  }

  private dropDatabase(database: string): Fields {
    for (const one of [...this.collections.keys()]) if (one.startsWith(`${database}.`)) this.collections.delete(one);
    return {};
  }
}

function namespaceOf(database: string, name: unknown): string {
  if (typeof name !== 'string' || name === '') throw badValue('A collection must be named.');
  const namespace = `${database}.${name}`;
  const wrong =
    /[$\0]/.test(name) || name.startsWith('system.') || name.startsWith('.') || Buffer.byteLength(namespace) > 255;
  if (wrong) throw new Refusal(73, 'InvalidNamespace', `Invalid namespace specified '${namespace}'`);
  return namespace;
}
