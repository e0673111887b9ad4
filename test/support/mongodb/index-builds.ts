import { EventEmitter } from 'node:events';
import type { HeldCollection, HeldIndex, View } from './held-collection.js';
import { badValue, Refusal } from './refusal.js';

const mostIndexes = 64;

interface Build {
  readonly index: HeldIndex;
  /** Resolves to undefined if the index was built, and otherwise to the reason why not. */
  readonly ended: Promise<Refusal | undefined>;
  abort(): void;
}

/**
 * Builds of indexes. A test can hold those on collections with documents, and release them later. A
 * build belongs to the server, so it continues if its client disconnects.
 */
export class IndexBuilds {
  private readonly running = new WeakMap<HeldCollection, Map<string, Build>>();
  private readonly news = new EventEmitter().setMaxListeners(0);
  private isHeld = false;

  hold(): () => void {
    this.isHeld = true;
    return () => {
      this.isHeld = false;
      this.news.emit('go');
    };
  }

  /** Refuses the waiting clients, as when another member becomes primary. The builds continue. */
  interrupt(): void {
    this.news.emit('interrupted');
  }

  namesIn(held: HeldCollection | undefined): readonly string[] {
    return [...this.of(held).keys()];
  }

  listed(held: HeldCollection): readonly HeldIndex[] {
    return [...held.indexes.values(), ...[...this.of(held).values()].map(({ index }) => index)];
  }

  async create(held: HeldCollection, indexes: readonly HeldIndex[], view: View): Promise<void> {
    for (const index of indexes) mustBeIndex(index);
    for (const index of indexes) this.mustNotConflict(held, index);
    const builds = indexes.filter(({ name }) => !held.indexes.has(name)).map((index) => this.build(held, index, view));
    const interrupted = Promise.withResolvers<readonly Refusal[]>();
    const interrupt = () => interrupted.resolve([new Refusal(11602, 'InterruptedDueToReplStateChange', 'interrupted')]);
    this.news.once('interrupted', interrupt);
    const ended = await Promise.race([Promise.all(builds.map((build) => build.ended)), interrupted.promise]);
    this.news.off('interrupted', interrupt);
    const refusal = ended.find((one) => one !== undefined);
    if (refusal !== undefined) throw refusal;
  }

  /** Returns whether there was a build of this index. */
  abort(held: HeldCollection, name: string): boolean {
    const build = this.of(held).get(name);
    build?.abort();
    return build !== undefined;
  }

  abortAll(held: HeldCollection): void {
    for (const name of this.namesIn(held)) this.abort(held, name);
  }

  private of(held: HeldCollection | undefined): ReadonlyMap<string, Build> {
    return (held && this.running.get(held)) ?? new Map();
  }

  /** Returns the build that is in progress, or starts one. */
  private build(held: HeldCollection, index: HeldIndex, view: View): Build {
    const known = this.of(held).get(index.name);
    if (known !== undefined) return known;
    const ended = Promise.withResolvers<Refusal | undefined>();
    const end = (refusal?: Refusal) => {
      this.news.off('go', finish);
      this.running.get(held)?.delete(index.name);
      ended.resolve(refusal);
    };
    const finish = () => end(refusalOf(() => held.addIndex(index, view)));
    const abort = () => end(new Refusal(276, 'IndexBuildAborted', 'Index build aborted: collection dropped'));
    const build = { index, ended: ended.promise, abort };
    if (!this.isHeld || held.size === 0) {
      finish();
      return build;
    }
    this.running.set(held, new Map([...this.of(held), [index.name, build]]));
    this.news.once('go', finish);
    return build;
  }

  private mustNotConflict(held: HeldCollection, index: HeldIndex): void {
    const there = this.listed(held);
    for (const other of there) {
      const isSame = meaning(other) === meaning(index);
      if (other.name === index.name && !isSame) {
        throw new Refusal(86, 'IndexKeySpecsConflict', `An index ${index.name} exists with another specification.`);
      }
      if (other.name !== index.name && isSame) {
        throw new Refusal(85, 'IndexOptionsConflict', `Index already exists with a different name: ${other.name}`);
      }
    }
    if (!there.some(({ name }) => name === index.name) && there.length >= mostIndexes) {
      throw new Refusal(67, 'CannotCreateIndex', `add index fails, too many indexes on the collection`);
    }
  }
}

function mustBeIndex({ name, key }: HeldIndex): void {
  const isIdIndex = JSON.stringify(key) === '{"_id":1}';
  if (isIdIndex && name !== '_id_') throw badValue(`The field 'name' for an _id index must be '_id_', but got ${name}`);
  for (const path of Object.keys(key)) {
    // A wildcard covers all fields below the path.
    const keys = path.endsWith('.$**') ? path.slice(0, -4).split('.') : path.split('.');
    if (keys.some((part) => part === '' || part.startsWith('$'))) {
      throw new Refusal(67, 'CannotCreateIndex', `Index key path '${path}' is not allowed.`);
    }
  }
}

/** Two indexes of a collection must differ in this text. */
const meaning = ({ key, unique = false, partialFilterExpression = {} }: HeldIndex) =>
  JSON.stringify([Object.entries(key), unique, partialFilterExpression]);

function refusalOf(work: () => void): Refusal | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
