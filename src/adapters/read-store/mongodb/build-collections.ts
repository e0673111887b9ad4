import type { Projection } from '../../../kernel/record/projection.js';
import type { Build } from '../../../ports/read-store.port.js';
import type { Watching } from '../../mongodb/index-builds.js';
import type { MongoConnection } from '../../mongodb/mongo-connection.js';
import { falseIfDuplicate, isMissing, isThere } from '../../mongodb/mongo-errors.js';
import type { Checkpoints } from './checkpoints.js';
import { type Keeper, Layout } from './layout.js';
import { isRoomOf, roomName, titleOf } from './names.js';
import { dropUndeclared, indexRoom } from './room-indexes.js';
import { SharedBuilds } from './shared-builds.js';

type Collections = Projection['collections'];

/** A MongoDB collection. */
export interface Room {
  readonly name: string;
  /** Members whose fields are copied for searching. */
  readonly searchable: readonly string[] | undefined;
}

/** Which MongoDB collection holds the documents of which build, and which of them queries read. */
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
   * The collection for a build, or for one that shares the build's checkpoint.
   * @throws Error when none was prepared
   */
  async of(build: Build, collection: string): Promise<Room> {
    const recent = buildIn(await this.layout.recent(), build, collection);
    const holder = recent ?? buildIn(await this.layout.fresh(), build, collection);
    if (holder !== undefined) {
      const rooms = roomsOf(await this.layout.recent(), holder);
      const searchable = rooms?.searchable?.find((one) => one.collection === collection)?.members;
      return { name: roomName(collection, holder.generation), searchable };
    }
    throw new Error(`No room was prepared for ${collection} in ${titleOf(build)}.`);
  }

  /** The name of the collection that queries read. Undefined while there is none. */
  async active(collection: string, when: 'recent' | 'now' = 'recent'): Promise<string | undefined> {
    const recent = when === 'recent' ? keeperOf(await this.layout.recent(), collection) : undefined;
    const keeper = recent ?? keeperOf(await this.layout.fresh(), collection);
    if (keeper === undefined) throw new Error(`Nobody keeps a collection named ${collection}.`);
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
   * Declared indexes are made even when the collection already exists. The build has its name first, so that no room of it
   * is taken for a left one. Answers whether it is prepared: it is not while it is being discarded.
   */
  async prepare(build: Build, collections: Collections, watching?: Watching): Promise<boolean> {
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
    // One that is leaving is not matched, and inserting another document of its projection is refused.
    const staying = { _id: build.projection, [`builds.${build.generation}.leaving`]: { $exists: false } };
    const isNamed = await this.layout.change(staying, named, { upsert: true }).catch(falseIfDuplicate);
    if (!isNamed) return false;
    await this.dropLeft(names);
    for (const [room, declared] of rooms) {
      await this.make(room);
      await indexRoom(this.connection, room, declared, watching);
    }
    return true;
  }

  /**
   * Drops rooms of these collections that no build has: a writer that was held up may have made one again after its build
   * was discarded. Only whoever builds a projection may do this for its collections.
   */
  private async dropLeft(collections: readonly string[]): Promise<void> {
    const there = await this.connection.database
      .listCollections({ name: { $gte: 'read.', $lt: 'read/' } }, { nameOnly: true })
      .toArray();
    const keepers = await this.layout.fresh();
    for (const collection of collections) {
      const keeper = keeperOf(keepers, collection);
      const kept = Object.keys(keeper?.builds ?? {}).map((generation) => roomName(collection, generation));
      const left = there.filter(({ name }) => isRoomOf(collection, name) && !kept.includes(name));
      for (const { name } of left) await this.drop(name);
    }
  }

  async isLeaving({ projection, generation }: Build): Promise<boolean> {
    return (await this.layout.keeper(projection))?.builds?.[generation]?.leaving === true;
  }

  async activate(build: Build, collections: Collections): Promise<void> {
    for (const [collection, declared] of Object.entries(collections)) {
      const { name } = await this.of(build, collection);
      // Not earlier: a process of the version before may prepare the same build, and would drop those of the next one.
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
   * First marked, so that it cannot be activated any more and a crash before the end is noticed; then its checkpoint is
   * forgotten and it is emptied; then its mark goes.
   */
  async discard(build: Build, collections: Collections, forgotten: () => Promise<void>): Promise<void> {
    const rooms = `builds.${build.generation}`;
    await this.layout.change(
      { _id: build.projection, active: { $ne: build.generation }, [rooms]: { $exists: true } },
      { $set: { [`${rooms}.leaving`]: true } },
    );
    const keeper = await this.layout.keeper(build.projection);
    if (keeper?.active === build.generation) {
      throw new Error(`The build ${titleOf(build)} is the active one and is not discarded.`);
    }
    const held = keeper?.builds?.[build.generation]?.collections ?? [];
    // Includes the declared ones: a late writer may have created one again.
    const keepers = await this.layout.fresh();
    const declared = Object.keys(collections).filter((name) => ownerBeside(keepers, build, name) === undefined);
    await this.shared.forget(build);
    // First, so that a late writer's transaction finds no checkpoint and makes no collection again.
    await forgotten();
    for (const name of new Set([...held, ...declared])) await this.drop(roomName(name, build.generation));
    await this.layout.change({ _id: build.projection }, { $unset: { [rooms]: true } });
  }

  /** Transactions would make it too, but two at once would disturb one another. */
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
      if (!isMissing(error)) throw error;
    }
  }
}

const keeps = ({ builds }: Keeper, collection: string) =>
  Object.values(builds ?? {}).some(({ collections }) => collections.includes(collection));

const keeperOf = (keepers: readonly Keeper[], collection: string) => keepers.find((one) => keeps(one, collection));

/** Another projection that owns the collection. */
function ownerBeside(keepers: readonly Keeper[], { projection }: Build, collection: string): string | undefined {
  return keepers.find((one) => one._id !== projection && keeps(one, collection))?._id;
}

/** The build whose room is written: this one, or the member that keeps the collection. */
function buildIn(keepers: readonly Keeper[], build: Build, collection: string): Build | undefined {
  if (hasRoom(keepers, build, collection)) return build;
  return roomsOf(keepers, build)?.members?.find((member) => hasRoom(keepers, member, collection));
}

const roomsOf = (keepers: readonly Keeper[], { projection, generation }: Build) =>
  keepers.find(({ _id }) => _id === projection)?.builds?.[generation];

function hasRoom(keepers: readonly Keeper[], build: Build, collection: string): boolean {
  const rooms = roomsOf(keepers, build);
  return rooms !== undefined && rooms.leaving !== true && rooms.collections.includes(collection);
}
