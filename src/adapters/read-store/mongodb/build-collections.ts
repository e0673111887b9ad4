import type { Projection } from '../../../kernel/record/projection.js';
import type { Build } from '../../../ports/read-store.port.js';
import type { IndexWatching } from '../../mongodb/index-builds.js';
import type { MongoConnection } from '../../mongodb/mongo-connection.js';
import { falseIfDuplicate, isMissingNamespace, isThere } from '../../mongodb/mongo-errors.js';
import type { Checkpoints } from './checkpoints.js';
import { dropUndeclared, indexCollection } from './collection-indexes.js';
import { Layout, type ProjectionRecord } from './layout.js';
import { isRoomOf, roomName, titleOf } from './names.js';
import { SharedBuilds } from './shared-builds.js';

type Collections = Projection['collections'];

export interface BuildCollection {
  readonly name: string;
  readonly searchable: readonly string[] | undefined;
}

export class BuildCollections {
  private readonly layout;
  readonly shared: SharedBuilds;

  constructor(
    private readonly connection: MongoConnection,
    checkpoints: Checkpoints,
  ) {
    this.layout = new Layout(connection);
    this.shared = new SharedBuilds(this.layout, checkpoints);
  }

  /**
   * The collection can also belong to another build that shares this build's checkpoint.
   * @throws Error if the collection was not prepared
   */
  async collectionFor(build: Build, collection: string): Promise<BuildCollection> {
    const recent = buildIn(await this.layout.recent(), build, collection);
    const holder = recent ?? buildIn(await this.layout.fresh(), build, collection);
    if (holder !== undefined) {
      const rooms = roomsOf(await this.layout.recent(), holder);
      const searchable = rooms?.searchable?.find((one) => one.collection === collection)?.members;
      return { name: roomName(collection, holder.generation), searchable };
    }
    throw new Error(`The collection ${collection} was not prepared in the build ${titleOf(build)}.`);
  }

  /**
   * Undefined if the collection has no active build.
   * @throws Error if no projection owns the collection
   */
  async active(collection: string, when: 'recent' | 'now' = 'recent'): Promise<string | undefined> {
    const recent = when === 'recent' ? keeperOf(await this.layout.recent(), collection) : undefined;
    const keeper = recent ?? keeperOf(await this.layout.fresh(), collection);
    if (keeper === undefined) throw new Error(`No projection owns a collection named ${collection}.`);
    const { active } = keeper;
    if (active === undefined || !keeper.builds?.[active]?.collections.includes(collection)) return undefined;
    return roomName(collection, active);
  }

  async activeGeneration(projection: string): Promise<string | undefined> {
    return (await this.layout.keeper(projection))?.active;
  }

  async generations(projection: string): Promise<readonly string[]> {
    return Object.keys((await this.layout.keeper(projection))?.builds ?? {});
  }

  /**
   * Records the build first, so that no other process drops its collections as leftovers. Resolves to false if the
   * build is being discarded.
   */
  async prepare(build: Build, collections: Collections, watching?: IndexWatching): Promise<boolean> {
    const names = Object.keys(collections);
    const rooms = Object.entries(collections).map(([name, one]) => [roomName(name, build.generation), one] as const);
    const searchable = Object.entries(collections).flatMap(([collection, { searchable: members }]) =>
      members === undefined ? [] : [{ collection, members }],
    );
    const keepers = await this.layout.fresh();
    for (const name of names) {
      const owner = ownerBeside(keepers, build, name);
      if (owner !== undefined)
        throw new Error(`The collection ${name} belongs to ${owner}, not to ${build.projection}.`);
    }
    const named = {
      $addToSet: {
        [`builds.${build.generation}.collections`]: { $each: names },
        ...(searchable.length > 0 && { [`builds.${build.generation}.searchable`]: { $each: searchable } }),
      },
    };
    const staying = { _id: build.projection, [`builds.${build.generation}.leaving`]: { $exists: false } };
    const isNamed = await this.layout.change(staying, named, { upsert: true }).catch(falseIfDuplicate);
    if (!isNamed) return false;
    await this.dropLeftovers(names);
    for (const [room, declared] of rooms) {
      await this.make(room);
      await indexCollection(this.connection, room, declared, watching);
    }
    return true;
  }

  /**
   * Drops collections that a delayed writer might have created again after their build was discarded. Only the process
   * that builds the projection may call this.
   */
  private async dropLeftovers(collections: readonly string[]): Promise<void> {
    const there = await this.connection.database
      .listCollections({ name: { $gte: 'read.', $lt: 'read/' } }, { nameOnly: true })
      .toArray();
    const keepers = await this.layout.fresh();
    for (const collection of collections) {
      const keeper = keeperOf(keepers, collection);
      const listed = Object.keys(keeper?.builds ?? {}).map((generation) => roomName(collection, generation));
      const left = there.filter(({ name }) => isRoomOf(collection, name) && !listed.includes(name));
      for (const { name } of left) await this.drop(name);
    }
  }

  async isLeaving({ projection, generation }: Build): Promise<boolean> {
    return (await this.layout.keeper(projection))?.builds?.[generation]?.leaving === true;
  }

  async activate(build: Build, collections: Collections): Promise<void> {
    for (const [collection, declared] of Object.entries(collections)) {
      const { name } = await this.collectionFor(build, collection);
      // Undeclared indexes are not dropped in `prepare`, because a process of the previous version might be preparing
      // the same build, and would drop the indexes that only the next version declares.
      await dropUndeclared(this.connection, name, declared);
    }
    const rooms = `builds.${build.generation}`;
    const activated = await this.layout.change(
      { _id: build.projection, [rooms]: { $exists: true }, [`${rooms}.leaving`]: { $exists: false } },
      { $set: { active: build.generation } },
    );
    if (!activated) throw new Error(`There is no build ${titleOf(build)} to activate.`);
  }

  /**
   * Marks the build first, so that it cannot be activated and an interrupted removal is noticed. `forgotten` deletes
   * the checkpoint.
   * @throws Error if the build is active
   */
  async discard(build: Build, collections: Collections, forgotten: () => Promise<void>): Promise<void> {
    const rooms = `builds.${build.generation}`;
    await this.layout.change(
      { _id: build.projection, active: { $ne: build.generation }, [rooms]: { $exists: true } },
      { $set: { [`${rooms}.leaving`]: true } },
    );
    const keeper = await this.layout.keeper(build.projection);
    if (keeper?.active === build.generation) {
      throw new Error(`The build ${titleOf(build)} is active and cannot be discarded.`);
    }
    const owned = keeper?.builds?.[build.generation]?.collections ?? [];
    const keepers = await this.layout.fresh();
    const declared = Object.keys(collections).filter((name) => ownerBeside(keepers, build, name) === undefined);
    await this.shared.forget(build);
    // The checkpoint is deleted first, so that a delayed writer's transaction fails instead of creating a collection.
    await forgotten();
    for (const name of new Set([...owned, ...declared])) await this.drop(roomName(name, build.generation));
    await this.layout.change({ _id: build.projection }, { $unset: { [rooms]: true } });
  }

  /** Transactions could create the collection too, but two of them at the same time would conflict. */
  private async make(room: string): Promise<void> {
    try {
      await this.connection.database.createCollection(room);
    } catch (error) {
      if (!isThere(error)) throw error;
    }
  }

  private async drop(room: string): Promise<void> {
    try {
      await this.connection.collection(room).drop();
    } catch (error) {
      if (!isMissingNamespace(error)) throw error;
    }
  }
}

const contains = ({ builds }: ProjectionRecord, collection: string) =>
  Object.values(builds ?? {}).some(({ collections }) => collections.includes(collection));

const keeperOf = (keepers: readonly ProjectionRecord[], collection: string) =>
  keepers.find((one) => contains(one, collection));

function ownerBeside(
  keepers: readonly ProjectionRecord[],
  { projection }: Build,
  collection: string,
): string | undefined {
  return keepers.find((one) => one._id !== projection && contains(one, collection))?._id;
}

function buildIn(keepers: readonly ProjectionRecord[], build: Build, collection: string): Build | undefined {
  if (hasRoom(keepers, build, collection)) return build;
  return roomsOf(keepers, build)?.members?.find((member) => hasRoom(keepers, member, collection));
}

const roomsOf = (keepers: readonly ProjectionRecord[], { projection, generation }: Build) =>
  keepers.find(({ _id }) => _id === projection)?.builds?.[generation];

function hasRoom(keepers: readonly ProjectionRecord[], build: Build, collection: string): boolean {
  const rooms = roomsOf(keepers, build);
  return rooms !== undefined && rooms.leaving !== true && rooms.collections.includes(collection);
}
