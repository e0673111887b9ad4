// Users of a site: pages of getAppUsers among 100,000, whose names and emails are each sealed under a key of their own,
// compared with the same documents in a bare SQLite file. Also the cost of hashing passwords in process, compared with
// bare scrypt.
import { randomBytes, randomUUID, scrypt } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { EmbeddedEventStore } from '../../dist/src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { ScryptPasswordHash } from '../../dist/src/adapters/password-hash/scrypt/scrypt-password-hash.adapter.js';
import { EmbeddedVault } from '../../dist/src/adapters/vault/embedded/embedded-vault.adapter.js';
import { readMasterKey } from '../../dist/src/adapters/vault/embedded/master-key.js';
import '../../dist/src/areas/app-users/app-user/app-user.record.js';
import { PersonalData } from '../../dist/src/engine/personal-data/personal-data.js';
import { SealingEventStore } from '../../dist/src/engine/personal-data/sealing-event-store.js';
import { SubjectKeys } from '../../dist/src/engine/personal-data/subject-keys.js';
import { figures, median } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { discard, scratch, startService } from '../support/servers.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';

const batch = 500;
const repeats = scaled(31);
const limit = 50;
const clock = { now: () => Date.now() };
const begin = Date.parse('2026-01-01T00:00:00.000Z');
const actor = { kind: 'person', id: 'mem_01k9xw2m7c5f8q3r6t9v2y4a7b', name: 'Owner' };

export async function appUsers({ users = scaled(100_000, 500) } = {}) {
  const dataDir = scratch();
  try {
    const { projectId, documents } = await fillUsers(dataDir, users);
    const service = await startService({ dataDir });
    await pages(service, projectId, documents);
    await roles(service, projectId, documents.length / 10);
    await service.stop();
  } finally {
    discard(dataDir);
  }
  await hashing();
}

/** Fills the data directory with a site that has this number of users. */
export async function fillUsers(directory, users) {
  const service = await startService({ dataDir: directory });
  const { id: workspaceId } = await service.call('workspace/getWorkspace', {});
  const { id: projectId } = await service.call('site/createProject', { name: 'Crowd' });
  await service.stop();
  const vault = new EmbeddedVault({ directory, clock, masterKey: readMasterKey({ directory }) });
  const personal = new PersonalData(new SubjectKeys(vault, clock, { shared: false }), vault);
  const store = new SealingEventStore(new EmbeddedEventStore({ directory }), personal);
  const documents = [];
  for (let from = 0; from < users; from += batch) {
    const requests = Array.from({ length: batch }, (_, at) => created(workspaceId, projectId, from + at));
    await personal.prepare(requests.map(({ stream }) => stream));
    await store.append(requests);
    for (const { stream, events } of requests) {
      const [{ data, metadata }] = await personal.sealed(stream, events);
      documents.push({ id: stream, projectId, ...data, createdAt: metadata.at });
    }
  }
  await store.close();
  await vault.close();
  return { projectId, documents };
}

function created(workspaceId, projectId, number) {
  const commandId = randomUUID();
  const at = new Date(begin + number * 1_000).toISOString();
  const data = {
    projectId,
    email: `user-${number}@example.com`,
    name: `User Number ${number}`,
    customFields: { field_city: `City ${number % 100}` },
    emailVerifiedAt: at,
    // Every tenth user has a legacy role, which the first listing of roles migrates.
    role: number % 10 === 0 ? 'Editor' : null,
    roleIds: [],
    passwordId: null,
    origin: 'operation',
  };
  const operation = 'site/createAppUser';
  const metadata = { workspaceId, actor, correlationId: commandId, causationId: null, commandId, operation, at };
  const stream = `appUser-${workspaceId}.usr_${String(number).padStart(26, '0')}`;
  return { stream, expected: 'none', events: [{ id: randomUUID(), type: 'AppUserCreated', data, metadata }] };
}

async function pages(service, projectId, documents) {
  const bare = new DatabaseSync(':memory:');
  bare.exec('CREATE TABLE users (id TEXT PRIMARY KEY, doc TEXT NOT NULL)');
  bare.exec("CREATE INDEX created ON users (json_extract(doc, '$.projectId'), json_extract(doc, '$.createdAt'), id)");
  const insert = bare.prepare('INSERT INTO users VALUES (?, ?)');
  for (const one of documents) insert.run(one.id, JSON.stringify(one));
  const list = bare.prepare(`SELECT doc FROM users WHERE json_extract(doc, '$.projectId') = ?
    ORDER BY json_extract(doc, '$.createdAt'), id LIMIT ? OFFSET ?`);
  const count = bare.prepare("SELECT count(*) AS n FROM users WHERE json_extract(doc, '$.projectId') = ?");
  const shown = [['', 'first ms', 'p50 ms', 'p99 ms', 'floor p50 ms', 'times the floor']];
  for (const offset of [0, documents.length / 2, documents.length - limit]) {
    const ours = [];
    const floor = [];
    for (let n = 0; n < repeats; n += 1) {
      const from = performance.now();
      const { users, total } = await service.call('site/getAppUsers', { projectId, limit, offset });
      ours.push(performance.now() - from);
      if (users.length !== limit || total !== documents.length) throw new Error(`${users.length} of ${total} users.`);
      const bareFrom = performance.now();
      for (const { doc } of list.all(projectId, limit, offset)) JSON.parse(doc);
      count.get(projectId);
      floor.push(performance.now() - bareFrom);
    }
    const { p50, p99 } = figures(ours.slice(1), 1);
    const bareP50 = median(floor);
    shown.push([`offset ${whole(offset)}`, ms(ours[0]), ms(p50), ms(p99), ms(bareP50), ratio(p50 / bareP50)]);
  }
  table(
    `getAppUsers, ${limit} of ${documents.length} users (the floor: the page and the count, by bare SQLite)`,
    shown,
  );
}

/** Lists roles of users of whom every tenth has one: the first listing migrates them, later ones count them. */
async function roles(service, projectId, having) {
  const list = async () => {
    const from = performance.now();
    const listed = await service.call('site/listProjectRoles', { projectId });
    return [performance.now() - from, listed.at(-1).assignedUserCount];
  };
  const [first, counted] = await list();
  if (counted !== having) throw new Error(`${counted} of ${having} users have the role.`);
  const times = [];
  for (let n = 0; n < repeats; n += 1) times.push((await list())[0]);
  const { p50, p99 } = figures(times, 1);
  table(`listProjectRoles, a role that ${whole(having)} users have`, [
    ['', 'first, turning legacy roles, ms', 'users per s', 'then p50 ms', 'p99 ms'],
    ['listProjectRoles', ms(first), whole(having / (first / 1_000)), ms(p50), ms(p99)],
  ]);
}

async function hashing({ passwords = scaled(50, 2), each = scaled(15, 2) } = {}) {
  const hashes = new ScryptPasswordHash();
  const derive = promisify(scrypt);
  const bare = () => derive('long enough', randomBytes(16), 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 27 });
  const times = async (work, amount) => {
    const took = [];
    for (let n = 0; n < amount; n += 1) {
      const from = performance.now();
      await work();
      took.push(performance.now() - from);
    }
    return figures(took, 1).p50;
  };
  const one = await times(() => hashes.hash('ws', 'long enough'), each);
  const floor = await times(bare, each);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const from = performance.now();
  await Promise.all(Array.from({ length: passwords }, () => hashes.hash('ws', 'long enough')));
  const seconds = (performance.now() - from) / 1_000;
  delay.disable();
  table(`passwords hashed; ${passwords} at once, two of them at a time (the floor: bare scrypt)`, [
    ['', 'one, ms', 'times the floor', 'per s at once', 'event loop late by p99 ms'],
    ['scrypt, N = 2^15', ms(one), ratio(one / floor), ms(passwords / seconds), ms(delay.percentile(99) / 1e6)],
  ]);
}
