import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import { type Build, CheckpointMoved } from '../../../ports/read-store.port.js';
import type { MongoConnection } from '../../mongodb/mongo-connection.js';
import { isDuplicate, mongoErrorText } from '../../mongodb/mongo-errors.js';
import { buildKey, checkpointsName, titleOf } from './names.js';

interface Checkpoint {
  readonly _id: string;
  readonly projection: string;
  readonly generation: string;
  readonly checkpoint: number;
  /** The commit that set it. */
  readonly move: string;
  /** It moves no more: the build is being replaced by another. */
  readonly closed?: boolean;
}

/** A build's checkpoint. Undefined if it never began. */
export type Standing = number | undefined;

/** A move whose outcome is unknown. */
interface Unsure {
  readonly expected: number;
  readonly move: string;
}

/** How far each build has processed the log. */
export class Checkpoints {
  private readonly checkpoints: Collection<Checkpoint>;
  private readonly unsure = new Map<string, Unsure>();

  constructor(private readonly connection: MongoConnection) {
    this.checkpoints = connection.collection<Checkpoint>(checkpointsName);
  }

  async of(build: Build): Promise<number> {
    return (await this.known(build)) ?? -1;
  }

  /** Undefined when the build has none. */
  async known(build: Build): Promise<number | undefined> {
    return (await this.checkpoints.findOne({ _id: buildKey(build) }))?.checkpoint;
  }

  /** Nobody moves it from here on. May be repeated. @throws CheckpointMoved when it stands elsewhere */
  async close(build: Build, at: number): Promise<void> {
    const from = { _id: buildKey(build), checkpoint: { $eq: at } };
    const { matchedCount } = await this.checkpoints.updateOne(from, { $set: { closed: true } });
    if (matchedCount === 0) throw moved(build, at, await this.of(build));
  }

  /** Gives a new build its first checkpoint; one that it has already stays. */
  async open(build: Build, at: number): Promise<void> {
    const first = { ...build, checkpoint: at, move: randomUUID() };
    await this.checkpoints.updateOne({ _id: buildKey(build) }, { $setOnInsert: first }, { upsert: true });
  }

  /** Sets the checkpoint of a build that nobody writes. */
  async put(build: Build, at: number): Promise<void> {
    const stands = { ...build, checkpoint: at, move: randomUUID() };
    await this.checkpoints.updateOne({ _id: buildKey(build) }, { $set: stands }, { upsert: true });
  }

  async generations(projection: string): Promise<readonly string[]> {
    return (await this.checkpoints.find({ projection: { $eq: projection } }).toArray()).map(
      ({ generation }) => generation,
    );
  }

  async forget(build: Build): Promise<void> {
    await this.checkpoints.deleteOne({ _id: buildKey(build) });
  }

  /**
   * A move whose answer was lost may have succeeded. So a repetition from the same checkpoint continues from the result
   * of that move; otherwise this writer would mistake itself for another one. @throws CheckpointMoved
   */
  async mustStand(build: Build, expected: number): Promise<Standing> {
    const found = await this.checkpoints.findOne({ _id: buildKey(build) });
    if (found?.closed) throw new CheckpointMoved(`${titleOf(build)} is being replaced by another build.`);
    if ((found?.checkpoint ?? -1) === expected) return found?.checkpoint;
    const unsure = this.unsure.get(buildKey(build));
    if (found !== null && unsure?.expected === expected && unsure.move === found.move) return found.checkpoint;
    throw moved(build, expected, found?.checkpoint ?? -1);
  }

  /** @throws CheckpointMoved */
  async move(build: Build, expected: number, standing: Standing, checkpoint: number): Promise<void> {
    const key = buildKey(build);
    const before = this.unsure.get(key);
    const move = before?.expected === expected ? before.move : randomUUID();
    try {
      const done = await this.set({ _id: key, ...build, checkpoint, move }, standing);
      if (!done) throw moved(build, expected, await this.of(build));
      this.unsure.delete(key);
    } catch (error) {
      if (mongoErrorText(error) === undefined) this.unsure.delete(key);
      else this.unsure.set(key, { expected, move });
      throw error;
    }
  }

  /** Takes effect only if the build still has the expected checkpoint. */
  private async set(next: Checkpoint, standing: Standing): Promise<boolean> {
    const { maxTimeMS } = this.connection;
    if (standing === undefined) {
      return this.checkpoints.insertOne(next, { maxTimeMS }).then(() => true, falseIfDuplicate);
    }
    const { checkpoint, move } = next;
    const from = { _id: next._id, checkpoint: { $eq: standing }, closed: { $exists: false } };
    const { matchedCount } = await this.checkpoints.updateOne(from, { $set: { checkpoint, move } }, { maxTimeMS });
    return matchedCount === 1;
  }
}

function falseIfDuplicate(error: unknown): false {
  if (isDuplicate(error)) return false;
  throw error;
}

function moved(build: Build, expected: number, stands: number): CheckpointMoved {
  return new CheckpointMoved(`The checkpoint of ${titleOf(build)} stands at ${stands}, not at ${expected}.`);
}
