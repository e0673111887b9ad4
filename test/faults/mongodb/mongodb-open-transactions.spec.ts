import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MongoClient } from 'mongodb';
import { MongoReadStore } from '../../../src/adapters/read-store/mongodb/mongo-read-store.adapter.js';
import { ReadStoreUnavailable, type Write } from '../../../src/ports/read-store.port.js';
import { collections, filled, idsOf, put, thing, v1 } from '../../contracts/read-store/read-store-fixture.js';
import { startApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { type MongoServer, startMongoServer } from '../../support/mongodb/start-mongo-server.js';
import { done } from '../../support/people.js';

const next = { projection: 'area', generation: 'v2_0' };
const held = 'another process, which may have been killed, has an open transaction on it';
const former = { projection: 'area', generation: 'v1_0' };

describe('a transaction that a killed process has left open', () => {
  let server: MongoServer;
  let store: MongoReadStore;
  let killed: MongoClient;
  let told: string[];
  let warn: jest.SpiedFunction<Logger['warn']>;
  beforeEach(async () => {
    told = [];
    warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation((sentence) => void told.push(String(sentence)));
    server = await startMongoServer({ transactionsLastMs: 600_000 });
    store = new MongoReadStore({ url: server.url, patienceMs: 300 });
    killed = new MongoClient(server.url);
    await filled(store, [thing('a')]);
  });
  afterEach(async () => {
    warn.mockRestore();
    await Promise.all([store.close(), killed.close()]);
    await server.close();
  });

  /** Leaves a transaction open that has changed all checkpoints, as a commit in progress does. */
  async function leftOpen(database = 'countersign') {
    const session = killed.startSession();
    session.startTransaction({ readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } });
    const checkpoints = killed.db(database).collection('read.checkpoints');
    await checkpoints.updateMany({}, { $set: { move: 'unfinished' } }, { session });
    return session;
  }

  it('does not prevent a build from being prepared again, because an existing checkpoint is only read', async () => {
    const session = await leftOpen();
    await store.prepare(v1, collections);
    expect([await store.checkpoint(v1), told]).toEqual([expect.any(Number), []]);
    await session.abortTransaction();
  });

  it('is awaited if a start has to write, which the log reports', async () => {
    await store.share(former, undefined, 3, []);
    const session = await leftOpen();
    let isOver = false;
    const sharing = store.share(next, 'v1_0', 3, []).finally(() => {
      isOver = true;
    });
    await eventually(
      async () => told,
      ({ length }) => length > 0,
    );
    expect(told).toEqual([expect.stringContaining('MongoDB has not written the checkpoint of area v1_0 yet')]);
    expect(isOver).toBe(false);
    await session.abortTransaction();
    await sharing;
    expect(await store.shared('area')).toMatchObject({ generation: 'v2_0', checkpoint: 3 });
  });

  it('is not awaited forever', async () => {
    await store.share(former, undefined, 3, []);
    const session = await leftOpen();
    const hasty = new MongoReadStore({ url: server.url, patienceMs: 300, transactionsMs: 100 });
    const error = await hasty.share(next, 'v1_0', 3, []).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(ReadStoreUnavailable);
    expect(String(error)).toMatch(/another process has an open transaction on it .* end it with db\.killOp\(\)/);
    await Promise.all([hasty.close(), session.abortTransaction()]);
  });

  it('is awaited by a starting service, which reports it', async () => {
    const environment = {
      EVENT_STORE: 'embedded',
      READ_STORE: 'mongodb',
      MONGODB_URL: server.url,
      MONGODB_DATABASE: 'service',
      MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    const app = await startApp({ environment, several: false });
    const { id } = await done(app, 'automations/createFunction', { name: 'before', code: 'return 1' });
    await done(app, 'automations/listFunctions');
    await app.app.close();
    const session = await leftOpen('service');
    const starting = app.restart();
    await eventually(
      async () => told,
      (all) => all.some((sentence) => sentence.includes(held)),
    );
    await session.abortTransaction();
    const again = await starting;
    expect(await done(again, 'automations/getFunction', { id })).toMatchObject({ name: 'before' });
    await again.close();
  }, 60_000);

  it('is retried at once by a commit, even if the conflict has no label', async () => {
    server.fault({ on: 'update', collection: 'read.checkpoints', mishap: { code: 112, unlabelled: true } });
    const checkpoint = await store.checkpoint(v1);
    await store.commit(v1, checkpoint, checkpoint + 1, [put(thing('b'), checkpoint + 1)]);
    server.fault({ on: 'insert', collection: /^read\.things/, mishap: { code: 112, unlabelled: true } });
    server.fault({ on: 'commitTransaction', mishap: { code: 112, unlabelled: true } });
    await store.commit(v1, checkpoint + 1, checkpoint + 2, [
      { ...put(thing('c'), checkpoint + 2), over: null } as Write,
    ]);
    expect([idsOf(await store.find('things', { where: {} })), server.faults]).toEqual([['a', 'b', 'c'], 0]);
  });
});
