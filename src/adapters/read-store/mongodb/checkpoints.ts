import { randomUUID } from 'node:crypto';
import type { ClientSession, Collection, Filter, UpdateFilter } from 'mongodb';
import { type Build, CheckpointMoved } from '../../../ports/read-store.port.js';
import type { MongoConnection } from '../../mongodb/mongo-connection.js';
import { isDuplicate, mongoErrorText } from '../../mongodb/mongo-errors.js';
import { blockedSentence, pastTransactions, type WaitingForTransactions } from '../../mongodb/open-transactions.js';
import { buildKey, checkpointsName, titleOf } from './names.js';

interface Checkpoint {
  readonly _id: string;
  readonly projection: string;
  readonly generation: string;
  readonly checkpoint: number;
  readonly move: string;
  /** Set while the build is being replaced, so that the checkpoint cannot move any more. */
  readonly closed?: boolean;
}

export const beforeFirstEvent = -1;

interface Unsure {
  readonly expected: number;
  readonly move: string;
}

export class Checkpoints {
  private readonly checkpoints: Collection<Checkpoint>;
  private readonly unsure = new Map<string, Unsure>();

  constructor(
    private readonly connection: MongoConnection,
    private readonly waiting: WaitingForTransactions,
  ) {
    this.checkpoints = connection.collection<Checkpoint>(checkpointsName);
  }

  async positionOf(build: Build): Promise<number> {
    return (await this.known(build)) ?? beforeFirstEvent;
  }

  async known(build: Build): Promise<number | undefined> {
    return (await this.read(build))?.checkpoint;
  }

  /**
   * Idempotent.
   * @throws CheckpointMoved if the checkpoint is not at this position
   */
  async close(build: Build, at: number): Promise<void> {
    const from = { _id: buildKey(build), checkpoint: { $eq: at } };
    const { matchedCount } = await this.write(build, from, { $set: { closed: true } });
    if (matchedCount === 0) throw moved(build, at, await this.positionOf(build));
  }

  /** An existing checkpoint is not written, so that an open transaction of a killed process does not block a start. */
  async open(build: Build, at: number): Promise<void> {
    if ((await this.known(build)) !== undefined) return;
    const first = { ...build, checkpoint: at, move: randomUUID() };
    await this.write(build, { _id: buildKey(build) }, { $setOnInsert: first }, { upsert: true });
  }

  /** Does not check the current position, so no process may be writing the build. */
  async put(build: Build, at: number): Promise<void> {
    const current = { ...build, checkpoint: at, move: randomUUID() };
    await this.write(build, { _id: buildKey(build) }, { $set: current }, { upsert: true });
  }

  async generations(projection: string): Promise<readonly string[]> {
    const found = await this.checkpoints.find({ projection: { $eq: projection } }, this.connection.reads).toArray();
    return found.map(({ generation }) => generation);
  }

  async forget(build: Build): Promise<void> {
    const { maxTimeMS } = this.connection;
    await this.waited(build, (session) => this.checkpoints.deleteOne({ _id: buildKey(build) }, { session, maxTimeMS }));
  }

  /** @throws CheckpointMoved */
  move(build: Build, expected: number, checkpoint: number): Promise<void> {
    return this.moving(build, expected, checkpoint, (move) =>
      this.connection.write((session) => move(session, 'begin')),
    );
  }

  /**
   * Moves the checkpoint as the first write of a transaction, so that concurrent writers of the same build conflict.
   * @throws CheckpointMoved
   */
  moveWith(
    build: Build,
    expected: number,
    checkpoint: number,
    work: (session: ClientSession) => Promise<void>,
  ): Promise<void> {
    return this.moving(build, expected, checkpoint, (move) =>
      this.connection.transaction(
        async (session) => {
          await move(session, 'stands');
          await work(session);
        },
        () => this.waiting.onWaiting(blockedSentence(checkpointOf(build))),
      ),
    );
  }

  /**
   * If the response to a move was lost, the next move from the same checkpoint succeeds whether or not the lost one
   * took effect. Otherwise this writer would treat its own move as another writer's.
   */
  private async moving(build: Build, expected: number, checkpoint: number, perform: (move: Move) => Promise<void>) {
    const key = buildKey(build);
    const before = this.unsure.get(key);
    const own = before?.expected === expected ? before.move : undefined;
    const move = own ?? randomUUID();
    const from =
      own === undefined
        ? { checkpoint: { $eq: expected } }
        : { $or: [{ checkpoint: { $eq: expected } }, { move: own }] };
    const where = { _id: key, closed: { $exists: false }, ...from };
    const update = { $set: { checkpoint, move }, $setOnInsert: build };
    const { maxTimeMS } = this.connection;
    try {
      await perform(async (session, which) => {
        // Only the first move of a build may create the checkpoint, because a delayed writer must not create one again.
        const upsert = which === 'begin' && expected === beforeFirstEvent;
        const { matchedCount, upsertedCount } = await this.checkpoints
          .updateOne(where, update, { session, upsert, maxTimeMS })
          .catch(noneIfDuplicate);
        if (matchedCount + upsertedCount === 0) throw await this.movedFrom(build, expected);
      });
      this.unsure.delete(key);
    } catch (error) {
      if (mongoErrorText(error) === undefined) this.unsure.delete(key);
      else this.unsure.set(key, { expected, move });
      throw error;
    }
  }

  private async movedFrom(build: Build, expected: number): Promise<CheckpointMoved> {
    const found = await this.read(build);
    if (found?.closed) return new CheckpointMoved(`${titleOf(build)} is being replaced by another build.`);
    return moved(build, expected, found?.checkpoint ?? beforeFirstEvent);
  }

  private read(build: Build): Promise<Checkpoint | null> {
    return this.checkpoints.findOne({ _id: buildKey(build) }, this.connection.reads);
  }

  private write(
    build: Build,
    filter: Filter<Checkpoint>,
    update: UpdateFilter<Checkpoint>,
    options: { upsert?: boolean } = {},
  ) {
    const { maxTimeMS } = this.connection;
    return this.waited(build, (session) =>
      this.checkpoints.updateOne(filter, update, { ...options, session, maxTimeMS }),
    );
  }

  private waited<T>(build: Build, work: (session: ClientSession) => Promise<T>): Promise<T> {
    return pastTransactions(checkpointOf(build), () => this.connection.write(work), this.waiting);
  }
}

const checkpointOf = (build: Build) => `the checkpoint of ${titleOf(build)}`;

type Move = (session: ClientSession, which: 'begin' | 'stands') => Promise<void>;

function noneIfDuplicate(error: unknown) {
  if (isDuplicate(error)) return { matchedCount: 0, upsertedCount: 0 };
  throw error;
}

function moved(build: Build, expected: number, current: number): CheckpointMoved {
  return new CheckpointMoved(`The checkpoint of ${titleOf(build)} is at ${current}, not at ${expected}.`);
}
