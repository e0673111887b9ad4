// A bare Fastify, started by servers.mjs. `echo` answers with the request's body. `append` records one or more events
// for each request, one after the other, in the service's own event store, and answers when they are on disk. `insert`
// inserts a row into SQLite and answers when it is on disk, as a plain program does. `answers` sends recorded answers
// of a file from memory.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import Fastify from 'fastify';
import { EmbeddedEventStore } from '../../dist/src/adapters/event-store/embedded/embedded-event-store.adapter.js';

const [kind, directory, events] = process.argv.slice(2);
const isBare = kind === 'insert' || kind === 'answers';
const store = isBare ? undefined : new EmbeddedEventStore({ directory });
const insert = kind === 'insert' ? inserting(join(directory, 'floor.db')) : undefined;
const app = Fastify({ logger: false });

/** As large as the metadata that the service writes. */
const metadata = () => ({
  workspaceId: 'ws_01k9xw2m7c5f8q3r6t9v2y4a7b',
  actor: { kind: 'person', id: 'mem_01k9xw2m7c5f8q3r6t9v2y4a7b', name: 'Owner' },
  correlationId: randomUUID(),
  causationId: null,
  commandId: randomUUID(),
  operation: 'automations/createFunction',
  at: new Date().toISOString(),
});

async function append(data) {
  const id = randomUUID();
  for (let left = Number(events); left > 0; left -= 1) {
    const event = { id: randomUUID(), type: 'FunctionCreated', data, metadata: metadata() };
    await store.append([{ stream: `function-ws_bench.${id}`, expected: 'any', events: [event] }]);
  }
  return id;
}

function inserting(file) {
  const database = new DatabaseSync(file);
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (id TEXT PRIMARY KEY, doc TEXT)',
  );
  const statement = database.prepare('INSERT INTO rows VALUES (?, ?)');
  return (data) => {
    const id = randomUUID();
    statement.run(id, JSON.stringify(data));
    return id;
  };
}

if (kind === 'answers') {
  const answers = Object.entries(JSON.parse(readFileSync(events, 'utf8')));
  const kept = new Map(
    answers.map(([path, { headers, bytes }]) => [path, { headers, bytes: Buffer.from(bytes, 'base64') }]),
  );
  app.get('/*', (request, reply) => {
    const { headers, bytes } = kept.get(request.url);
    reply.headers(headers).send(bytes);
  });
}
app.post('/*', async (request) => {
  if (kind === 'echo') return request.body;
  return { id: insert === undefined ? await append(request.body) : insert(request.body), ...request.body };
});
process.on('SIGTERM', () => app.close().then(() => store?.close()));
process.stdout.write(`listens on ${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
