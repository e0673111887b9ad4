// Commits of a batch to a read model on MongoDB: one transaction that begins with the checkpoint. The floor is one
// majority-acknowledged update with the bare driver, which every commit has to wait for at least. BENCH_AGAINST=<built
// checkout> measures that checkout in turn with this one. Without MONGODB_URL it uses the stand-in, which acknowledges
// at once, so the figures show the work without the waits.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MongoClient } from 'mongodb';
import { enginesInWords, startEngines } from '../processes/engines.mjs';
import { figures, inTurn } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { ms, ratio, table } from '../support/table.mjs';

const here = join(import.meta.dirname, '../..');
const sizes = [1, 20, 500];
const rounds = scaled(5);
let generations = 0;
const majority = { writeConcern: { w: 'majority' } };
const commitsOf = (size) => scaled(Math.max(10, Math.round(200 / Math.sqrt(size))), 2);
const collections = { functions: { indexes: [{ fields: ['workspaceId'] }, { fields: ['name'], unique: true }] } };

export async function mongodbCommits() {
  const engines = await startEngines();
  const { MONGODB_URL: url } = engines.environment;
  const database = `countersign_bench_${randomUUID().slice(0, 8)}`;
  const other = process.env['BENCH_AGAINST'];
  try {
    const rows = [
      ['documents', 'floor p50 ms', 'p50 ms', 'p99 ms', 'of the floor', ...(other ? ['before: p50 ms'] : [])],
    ];
    for (const size of sizes) {
      const contestants = [() => floor(url, database, size), () => commits(here, url, database, size)];
      if (other) contestants.push(() => commits(other, url, database, size));
      const [bare, now, before] = await inTurn(contestants, rounds);
      const compared = [ms(bare.p50), ms(now.p50), ms(now.p99), ratio(now.p50 / bare.p50)];
      rows.push([String(size), ...compared, ...(before ? [ms(before.p50)] : [])]);
    }
    table(`Commits of a read model on MongoDB, ${enginesInWords}`, rows);
  } finally {
    const client = await MongoClient.connect(url, majority);
    await client.db(database).dropDatabase();
    await client.close();
    await engines.close();
  }
}

async function commits(checkout, url, database, size) {
  const file = join(checkout, 'dist/src/adapters/read-store/mongodb/mongo-read-store.adapter.js');
  const { MongoReadStore } = await import(pathToFileURL(file).href);
  const store = new MongoReadStore({ url, database });
  generations += 1;
  const build = { projection: 'functions', generation: `v1_${generations}` };
  await store.prepare(build, collections);
  const batch = (n) =>
    Array.from({ length: size }, (_, at) => ({
      kind: 'put',
      collection: 'functions',
      position: n,
      over: n === 0 ? null : n - 1,
      document: { id: `fn_${at}`, workspaceId: 'ws_1', name: `${n} ${at}`, code: 'return 1'.repeat(20) },
    }));
  try {
    await store.commit(build, -1, 0, batch(0));
    return await timed(commitsOf(size), (n) => store.commit(build, n, n + 1, batch(n + 1)));
  } finally {
    await store.discard(build, collections);
    await store.close();
  }
}

async function floor(url, database, size) {
  const client = await MongoClient.connect(url, majority);
  const collection = client.db(database).collection('floor');
  try {
    return await timed(commitsOf(size), (n) => collection.updateOne({ _id: 'one' }, { $set: { n } }, { upsert: true }));
  } finally {
    await client.close();
  }
}

async function timed(count, work) {
  const times = [];
  const began = performance.now();
  for (let n = 0; n < count; n++) {
    const at = performance.now();
    await work(n);
    times.push(performance.now() - at);
  }
  return figures(times, (performance.now() - began) / 1_000);
}
