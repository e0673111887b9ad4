import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { MongoBlobs } from '../../../src/adapters/blobs/mongodb/mongo-blobs.adapter.js';
import { BlobSealBroken, BlobsUnavailable } from '../../../src/ports/blobs.port.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { type MongoServer, startMongoServer } from '../../support/mongodb/start-mongo-server.js';

const large = randomBytes(600_000);

describe('the blobs, when MongoDB fails them,', () => {
  let server: MongoServer;
  let blobs: MongoBlobs;
  let beside: MongoClient;
  const masterKey = randomBytes(32);
  const another = () => new MongoBlobs({ url: server.url, patienceMs: 2_000, masterKey, clock: new MadeUpClock() });
  beforeEach(async () => {
    server = await startMongoServer({ members: 2 });
    blobs = another();
    beside = new MongoClient(server.url, { readConcern: { level: 'majority' }, writeConcern: { w: 'majority' } });
  });
  afterEach(async () => {
    server.heal();
    await Promise.all([blobs.close(), beside.close()]);
    await server.close();
  });
  const held = (name: 'files' | 'chunks') => beside.db('countersign').collection(`blobs.${name}`);
  const left = async () => [
    (await held('files').find({}).toArray()).length,
    (await held('chunks').find({}).toArray()).length,
  ];

  it('finish the removal of a blob that a step-down interrupted, and show nothing of it before', async () => {
    await blobs.put('mail/a', large);
    server.fault({ on: 'delete', collection: 'blobs.chunks', times: 2, mishap: { code: 10_107 } });
    await expect(blobs.destroy('mail/a')).rejects.toThrow(BlobsUnavailable);
    expect([await blobs.open('mail/a'), await blobs.names('mail')]).toEqual([undefined, []]);
    await eventually(
      () =>
        blobs.destroy('mail/a').then(
          () => true,
          () => false,
        ),
      (done) => done,
    );
    expect(await left()).toEqual([0, 0]);
  });

  it('open what was put but not what was destroyed, even if the next primary does not know yet', async () => {
    await blobs.put('mail/a', randomBytes(1));
    await blobs.put('mail/b', randomBytes(2));
    server.trail('news');
    await blobs.put('mail/a', large);
    await blobs.destroy('mail/b');
    server.elect(1);
    const opened = Promise.all([blobs.open('mail/a'), blobs.open('mail/b')]);
    await eventually(
      async () => server.waiting,
      (waiting) => waiting === 2,
    );
    server.trail(undefined);
    expect((await opened).map((one) => one?.length)).toEqual([large.length, undefined]);
  });

  it.each([
    ['insert', 'blobs.files'],
    ['insert', 'blobs.chunks'],
    ['update', 'blobs.files'],
  ])('leave nothing of a blob whose %s in %s failed', async (on, collection) => {
    await blobs.put('mail/z', randomBytes(1));
    server.fault({ on, collection, times: 2, mishap: 'drop before' });
    await expect(blobs.put('mail/a', large)).rejects.toThrow(BlobsUnavailable);
    expect([await blobs.open('mail/a'), await left()]).toEqual([undefined, [1, 1]]);
  });

  it('report that their indexes cannot be made, and make them at the next blob', async () => {
    server.fault({ on: 'createIndexes', times: 3, mishap: { code: 10_107 } });
    await expect(blobs.put('mail/a', large)).rejects.toThrow(BlobsUnavailable);
    const put = () =>
      blobs.put('mail/a', large).then(
        () => true,
        () => false,
      );
    await eventually(put, (done) => done);
    const names = async (of: 'files' | 'chunks') => (await held(of).indexes()).map(({ name }) => name);
    expect([await names('files'), await names('chunks')]).toEqual([
      ['_id_', 'filename_1_uploadDate_1', 'state'],
      ['_id_', 'files_id_1_n_1'],
    ]);
  });

  it('never open part of a blob that is replaced or destroyed during the read', async () => {
    await blobs.put('mail/a', large);
    const other = another();
    await other.open('mail/a');
    server.fault({ on: 'find', collection: 'blobs.chunks', mishap: { slowMs: 400 } });
    const asked = () =>
      server.seen.filter(({ name, command }) => name === 'find' && command['find'] === 'blobs.files').length;
    const before = asked();
    const opened = other.open('mail/a');
    await eventually(
      async () => asked(),
      (count) => count > before,
    );
    await blobs.put('mail/a', Buffer.from('new'));
    expect(Buffer.from((await opened) ?? [])).toEqual(Buffer.from('new'));
    await other.close();
  });

  it('put a large blob in steps, so that connections remain free for others', async () => {
    await blobs.put('mail/large', randomBytes(6_000_000));
    const inserts = server.seen.filter(({ command }) => command['insert'] === 'blobs.chunks');
    const sizes = inserts.map(({ command }) => (command['documents'] as readonly unknown[]).length);
    expect(sizes).toEqual([8, 8, 7]);
  });

  it('destroy many blobs without a cursor that could be closed in between', async () => {
    const names = Array.from({ length: 230 }, (_, at) => `mail/${at}`);
    for (const name of names) await blobs.put(name, Buffer.from(name));
    await blobs.destroyAll('mail');
    expect(await left()).toEqual([0, 0]);
    expect(server.seen.filter(({ name }) => name === 'getMore')).toEqual([]);
    expect(
      server.seen.filter(({ command }) => command['find'] === 'blobs.files' && command['limit'] === 100),
    ).toHaveLength(6);
  });

  it('report lost bytes only if an existing blob has lost them', async () => {
    await blobs.put('mail/a', large);
    await held('chunks').deleteOne({ n: 2 });
    await expect(blobs.open('mail/a')).rejects.toThrow(BlobSealBroken);
  });
});
