// The time until a recorded function is shown by the read model. It gets each event from the log and reads the read
// model's checkpoint as fast as possible. The time begins with the event's own time just before the append, so it
// includes the append and the read. Runs in a process of its own, started by shared-commands.mjs.
import { setTimeout } from 'node:timers/promises';
import { END, EventStoreDBClient, eventTypeFilter } from '@eventstore/db-client';
import { MongoClient } from 'mongodb';
import { figures } from '../support/load.mjs';

const { EVENTSTOREDB_URL, MONGODB_URL, MONGODB_DATABASE } = process.env;
const log = EventStoreDBClient.connectionString(EVENTSTOREDB_URL.replace(/^kurrentdb/, 'esdb'));
const mongo = await new MongoClient(MONGODB_URL, { readConcern: { level: 'majority' } }).connect();
const checkpoints = mongo.db(MONGODB_DATABASE).collection('read.checkpoints');

let recorded = [];
let lags = [];

async function hear() {
  const filter = eventTypeFilter({ prefixes: ['FunctionCreated'] });
  for await (const { event } of log.subscribeToAll({ fromPosition: END, filter })) {
    recorded.push({ position: Number(event.position.commit), at: Date.parse(event.metadata.at) });
  }
}

async function ask() {
  for (;;) {
    if (recorded.length > 0) {
      const builds = await checkpoints.find({ projection: { $eq: 'functions' } }).toArray();
      const now = Date.now();
      const reached = Math.max(...builds.map(({ checkpoint }) => checkpoint));
      const shown = recorded.filter(({ position }) => position <= reached);
      lags.push(...shown.map(({ at }) => now - at));
      recorded = recorded.filter(({ position }) => position > reached);
    }
    await setTimeout(2);
  }
}

process.on('message', () => {
  process.send(figures(lags, 1));
  lags = [];
});
process.on('disconnect', () => process.exit());
hear();
ask();
process.send('listening');
