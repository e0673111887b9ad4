// Benchmarks run this file with Node directly, without a build, so it must not import code of the service.

import { setTimeout as takes } from 'node:timers/promises';
import type { Reply, ServiceProcess } from '../service-process.js';

/** Everything that a service has acknowledged since its data directory was created. None of it may ever be missing. */
export interface Ledger {
  /** By function id: the last acknowledged description, and the last one that was sent. */
  readonly functions: Map<string, { readonly acknowledged: string; readonly asked: string }>;
  /** By idempotency key: the id in the response of createFunction. */
  readonly keyedFunctions: Map<string, string>;
  /** Runs whose result was returned. */
  readonly runs: Set<string>;
  /** Runs that were accepted for later. */
  readonly accepted: Set<string>;
  /** By delivery key: the run in the response. */
  readonly keyedRuns: Map<string, string>;
}

export interface Scene {
  readonly functionId: string;
  readonly webhook: string;
}

export const emptyLedger = (): Ledger => ({
  functions: new Map(),
  keyedFunctions: new Map(),
  runs: new Set(),
  accepted: new Set(),
  keyedRuns: new Map(),
});

export const sizeOf = ({ functions, runs, accepted }: Ledger): number => functions.size + runs.size + accepted.size;

const summing = 'return params.items.reduce((sum, item) => sum + item, 0);';

/** Creates an active function with a webhook, and makes older runs visible in lists. */
export async function setScene(service: ServiceProcess, code = summing): Promise<Scene> {
  right(await service.call('workspace/updateSettings', { runsTab: true }), 200);
  const { body: fn } = right(await service.call('automations/createFunction', { name: 'Sum', code }), 200);
  right(await service.call('automations/updateFunction', { id: fn.id, isActive: true }), 200);
  const { body: webhook } = right(await service.call('automations/createWebhook', { functionId: fn.id }), 200);
  return { functionId: fn.id, webhook: `/api/automations/functions/webhook/${webhook.token}` };
}

/**
 * Sends commands and deliveries of every kind until the service is killed, and records in the ledger what it
 * acknowledges.
 */
export async function loadUntilKilled(service: ServiceProcess, scene: Scene, ledger: Ledger, round: number) {
  let asked = 0;
  const next = () => `${round}-${asked++}`;
  const workers = [
    ...[1, 2].map(() => () => create(service, ledger, next())),
    () => createKeyed(service, ledger, next()),
    () => edit(service, ledger, next()),
    ...[1, 2, 3].map(() => () => deliver(service, scene, ledger, {})),
    () => deliver(service, scene, ledger, { key: next() }),
    ...[1, 2].map(() => () => deliver(service, scene, ledger, { async: true })),
    () => deliver(service, scene, ledger, { key: next(), async: true }),
  ];
  await Promise.all(workers.map(untilGone));
}

/**
 * Repeats the work until the connection breaks, which means that the service was killed. A wrong response is an error.
 */
async function untilGone(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await work();
    } catch (error) {
      if (isBrokenConnection(error)) return;
      throw error;
    }
  }
}

/** Checks the name, because fetch throws a TypeError of another realm than the test's. */
export const isBrokenConnection = (error: unknown): boolean => (error as { name?: unknown }).name === 'TypeError';

async function create(service: ServiceProcess, ledger: Ledger, name: string): Promise<void> {
  const { body } = right(await service.call('automations/createFunction', { name: `Function ${name}` }), 200);
  ledger.functions.set(body.id, { acknowledged: '', asked: '' });
}

async function createKeyed(service: ServiceProcess, ledger: Ledger, key: string): Promise<void> {
  const { body } = right(await createWithKey(service, key), 200);
  ledger.functions.set(body.id, { acknowledged: '', asked: '' });
  ledger.keyedFunctions.set(key, body.id);
}

export const createWithKey = (service: ServiceProcess, key: string) =>
  service.call('automations/createFunction', { name: `Keyed ${key}` }, { 'idempotency-key': key });

/** Only one worker edits, so that a description can be only the last acknowledged one or the last one sent. */
async function edit(service: ServiceProcess, ledger: Ledger, description: string): Promise<void> {
  const [id] = [...ledger.functions.keys()].slice(-1);
  if (id === undefined) return takes(5);
  const before = ledger.functions.get(id)?.acknowledged ?? '';
  ledger.functions.set(id, { acknowledged: before, asked: description });
  right(await service.call('automations/updateFunction', { id, description }), 200);
  ledger.functions.set(id, { acknowledged: description, asked: description });
}

interface Delivery {
  readonly key?: string;
  readonly async?: true;
}

async function deliver(service: ServiceProcess, scene: Scene, ledger: Ledger, delivery: Delivery): Promise<void> {
  const reply = right(await post(service, scene, delivery), delivery.async ? 202 : 200);
  const runId = reply.headers.get('x-run-id') ?? '';
  (delivery.async ? ledger.accepted : ledger.runs).add(runId);
  if (delivery.key !== undefined) ledger.keyedRuns.set(delivery.key, runId);
}

export const post = (service: ServiceProcess, { webhook }: Scene, { key, async }: Delivery): Promise<Reply> =>
  service.post(
    webhook,
    { items: [1, 2, 3] },
    {
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(async ? { prefer: 'respond-async' } : {}),
    },
  );

function right(reply: Reply, status: number): Reply {
  if (reply.status === status) return reply;
  throw new Error(`Answered ${reply.status} instead of ${status}: ${JSON.stringify(reply.body)}`);
}
