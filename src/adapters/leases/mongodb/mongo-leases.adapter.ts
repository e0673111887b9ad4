import type { Collection } from 'mongodb';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Clock } from '../../../ports/clock.port.js';
import { Leases, type LivingProcess } from '../../../ports/leases.port.js';
import { ReadStoreUnavailable } from '../../../ports/read-store.port.js';
import { MongoConnection, type MongoOptions } from '../../mongodb/mongo-connection.js';
import { isDuplicate, mongoErrorText } from '../../mongodb/mongo-errors.js';
import { Silences } from './silences.js';

interface Lease {
  readonly _id: string;
  readonly holder: string;
}

interface Process {
  readonly _id: string;
  readonly beat: string;
  readonly note: JsonObject;
}

export interface MongoLeasesOptions extends MongoOptions {
  readonly clock: Clock;
  readonly silenceMs: number;
}

/**
 * Every change is one conditional write of one document, acknowledged by a majority, so only one of two processes gets
 * a lease.
 */
export class MongoLeases extends Leases {
  override readonly silenceMs: number;
  private readonly connection: MongoConnection;
  private readonly leases: Collection<Lease>;
  private readonly known: Collection<Process>;
  private readonly silences: Silences;
  private beats = 0;
  private introduced: string | undefined;

  constructor({ clock, silenceMs, ...options }: MongoLeasesOptions) {
    super();
    this.silenceMs = silenceMs;
    this.connection = new MongoConnection(options);
    this.leases = this.connection.collection<Lease>('leases');
    this.known = this.connection.collection<Process>('processes');
    this.silences = new Silences(clock, silenceMs);
  }

  override beat(process: string, note: JsonObject): Promise<boolean> {
    return this.reach(async () => {
      const beat = `${process}/${this.beats++}`;
      const { matchedCount } = await this.known.updateOne({ _id: process }, { $set: { beat, note } });
      if (matchedCount === 1) return true;
      const wasKnown = this.introduced === process;
      this.introduced = wasKnown ? undefined : process;
      if (!wasKnown) await this.known.updateOne({ _id: process }, { $set: { beat, note } }, { upsert: true });
      return !wasKnown;
    });
  }

  override processes(): Promise<readonly LivingProcess[]> {
    return this.reach(async () => {
      const all = await this.known.find({}).toArray();
      const silent = this.silences.observe(new Map(all.map(({ _id, beat }) => [_id, beat])));
      return all.map(({ _id, note }) => ({ name: _id, note, silent: silent.has(_id) }));
    });
  }

  override acquire(lease: string, process: string): Promise<boolean> {
    return this.reach(async () => {
      const found = await this.leases.findOne({ _id: lease });
      if (found === null) return this.leases.insertOne({ _id: lease, holder: process }).then(() => true, falseIfTaken);
      if (found.holder === process) return true;
      const alive = (await this.processes()).some(({ name, silent }) => name === found.holder && !silent);
      if (alive) return false;
      const from = { _id: lease, holder: { $eq: found.holder } };
      const { matchedCount } = await this.leases.updateOne(from, { $set: { holder: process } });
      return matchedCount === 1;
    });
  }

  override release(lease: string, process: string): Promise<void> {
    return this.reach(async () => {
      await this.leases.deleteOne({ _id: lease, holder: { $eq: process } });
    });
  }

  override holders(): Promise<ReadonlyMap<string, string>> {
    return this.reach(async () => {
      const all = await this.leases.find({}).toArray();
      return new Map(all.map(({ _id, holder }) => [_id, holder]));
    });
  }

  override giveUp(process: string): Promise<boolean> {
    return this.reach(async () => {
      if (!(await this.processes()).some(({ name, silent }) => name === process && silent)) return false;
      // Deletes nothing if the process has sent a heartbeat since the last check.
      const beat = this.silences.lastBeat(process);
      const { deletedCount } = await this.known.deleteOne({ _id: process, beat: { $eq: beat ?? '' } });
      if (deletedCount === 1) await this.leases.deleteMany({ holder: { $eq: process } });
      return deletedCount === 1;
    });
  }

  override leave(process: string): Promise<void> {
    return this.reach(async () => {
      await this.leases.deleteMany({ holder: { $eq: process } });
      await this.known.deleteOne({ _id: process });
      this.introduced = undefined;
    });
  }

  override close(): Promise<void> {
    return this.connection.close();
  }

  private async reach<T>(work: () => Promise<T>): Promise<T> {
    if (this.connection.closed) throw new ReadStoreUnavailable('Leases are closed: the service is stopping.');
    try {
      return await work();
    } catch (error) {
      // This process possibly missed heartbeats, so the measurement of silence restarts for all processes.
      this.silences.restart();
      const trouble = mongoErrorText(error);
      if (trouble === undefined) throw error;
      throw new ReadStoreUnavailable(`Leases are not available: ${trouble}.`, { cause: error });
    }
  }
}

function falseIfTaken(error: unknown): false {
  if (isDuplicate(error)) return false;
  throw error;
}
