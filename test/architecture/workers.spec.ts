import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DiscoveryService } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { WorkerSource } from '../../src/engine/cluster/worker.js';
import { Messages } from '../../src/ports/messages.port.js';
import { Sagas } from '../../src/sagas/sagas.js';
import { assemble } from '../../src/start.js';
import { root } from './import-graph.js';

/** Not started as workers: `Membership` starts them before all workers and stops them after. */
const others = ['Freshness'];

let directory: string;
let app: NestFastifyApplication;
let providers: readonly object[];
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'countersign-workers-'));
  app = await assemble(
    { DATA_DIR: directory, LOG_LEVEL: 'error', MASTER_KEY: Buffer.alloc(32, 7).toString('base64') },
    false,
  );
  await app.init();
  const instances = app.get(DiscoveryService, { strict: false }).getProviders();
  providers = instances.flatMap(({ instance }) =>
    typeof instance === 'object' && instance !== null ? [instance] : [],
  );
}, 60_000);
afterAll(async () => {
  await app?.close();
  rmSync(directory, { recursive: true, force: true });
});

const workers = () => {
  Object.assign(app.get(Messages), { durable: true });
  const sources = providers.filter((one) => one instanceof WorkerSource);
  const all = sources.flatMap((one) => one.workers(() => undefined));
  return Object.groupBy(all, ({ kind }) => kind);
};

describe('what starts and stops', () => {
  it('is a worker, which the service starts and stops', () => {
    const forgotten = providers.filter(
      (one) =>
        'start' in one && 'stop' in one && !(one instanceof WorkerSource) && !others.includes(one.constructor.name),
    );
    expect(forgotten.map((one) => one.constructor.name)).toEqual([]);
  });

  it('works on no topic that the list for operators leaves out', () => {
    const page = readFileSync(join(root, 'docker/README.md'), 'utf8');
    const topics = (workers().consumer ?? []).map(({ name }) => name);
    expect(topics.filter((topic) => !page.includes(`\`countersign.${topic}\``))).toEqual([]);
  });

  it('uses the names of leases, which processes of other versions know too', () => {
    const { saga = [], 'read-model': models = [], ...few } = workers();
    expect(saga.map(({ name }) => name)).toEqual(app.get(Sagas).all.map(({ name }) => `saga/${name}`));
    expect(models.map(({ name }) => name).filter((name) => !name.startsWith('read-model/'))).toEqual([]);
    expect(
      Object.fromEntries(Object.entries(few).map(([kind, some]) => [kind, some.map(({ name }) => name).sort()])),
    ).toEqual({
      scheduler: ['scheduler'],
      settling: ['open-mail', 'open-runs', 'step-runs'],
      consumer: ['agent-steps', 'flow-steps', 'inbound-mail', 'run-requests', 'site-mail', 'site-publishes'],
      sharer: ['campaigns'],
      feed: ['feed/events', 'feed/pending-changes'],
      seal: ['audit-sealing'],
      listener: ['realtime'],
      entrance: ['mail-in'],
    });
  });
});
