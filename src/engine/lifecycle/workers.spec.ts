import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DiscoveryService } from '@nestjs/core';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { LocalLeases } from '../../adapters/leases/local/local-leases.adapter.js';
import { roles as allRoles, type Environment, type ServiceRole } from '../../config/environment.js';
import type { Messages } from '../../ports/messages.port.js';
import { LeaseKeeper } from '../cluster/lease-keeper.js';
import { type Worker, type WorkerKind, WorkerSource } from '../cluster/worker.js';
import type { LogIdentity } from '../messages/log-identity.js';
import { Workers } from './workers.js';

let said: string[];
let keeper: LeaseKeeper;
beforeEach(() => {
  said = [];
  keeper = new LeaseKeeper(new LocalLeases(), new MadeUpClock(), { value: 'me' });
});
afterEach(() => keeper.stop());

const worker = (kind: WorkerKind, name: string): Worker => ({
  kind,
  name,
  start: async () => void said.push(`${name} starts`),
  stop: async () => void said.push(`${name} stops`),
});

const some = [
  worker('entrance', 'mail'),
  worker('seal', 'seal'),
  worker('saga', 'saga/b'),
  worker('saga', 'saga/a'),
  worker('consumer', 'jobs'),
  worker('settling', 'open-jobs'),
  worker('scheduler', 'scheduler'),
  worker('read-model', 'read-model/a'),
];

class Some extends WorkerSource {
  constructor(private readonly all: readonly Worker[]) {
    super();
  }

  override workers = () => this.all;
}

function workersOf({
  durable = true,
  roles = allRoles,
  all = some,
}: {
  durable?: boolean;
  roles?: readonly ServiceRole[];
  all?: readonly Worker[];
}): Workers {
  const providers = [{ instance: new Some(all) }, { instance: {} }, { instance: null }];
  const messages = { durable, belongTo: (log: string) => void said.push(`of ${log}`) };
  return new Workers(
    { getProviders: () => providers } as unknown as DiscoveryService,
    { roles } as Environment,
    keeper,
    messages as unknown as Messages,
    { known: async () => 'log_1' } as unknown as LogIdentity,
  );
}

const taken = () => said.splice(0);

describe('the workers of a process', () => {
  it('start in the order of their kinds, and end at once, except for read models and seals, which end with the leases', async () => {
    const workers = workersOf({});
    await workers.startReads();
    expect(taken()).toEqual(['read-model/a starts']);
    await workers.startWork();
    const order = ['scheduler', 'open-jobs', 'jobs', 'saga/b', 'saga/a', 'seal', 'mail'];
    expect(taken()).toEqual(['of log_1', ...order.map((name) => `${name} starts`)]);
    expect(keeper.acquired).toEqual(['read-model/a', 'scheduler', 'open-jobs', 'saga/b', 'saga/a', 'seal']);
    await workers.leave();
    const ended = order.filter((name) => name !== 'seal').map((name) => `${name} stops`);
    expect(taken().sort()).toEqual(ended.sort());
    expect(keeper.acquired).toEqual(['read-model/a', 'seal']);
    await workers.leave();
    expect(taken()).toEqual([]);
  });

  it('that hand messages over within the process share one lease, and end in the opposite order', async () => {
    const workers = workersOf({ durable: false });
    await workers.startWork();
    expect(taken()).toEqual(
      ['scheduler', 'open-jobs', 'jobs', 'saga/b', 'saga/a', 'seal', 'mail'].map((name) => `${name} starts`),
    );
    expect(keeper.acquired).toEqual(['scheduler', 'work', 'seal']);
    await workers.leave();
    const ended = taken().filter((one) => /saga|jobs/.test(one));
    expect(ended).toEqual(['saga/b stops', 'saga/a stops', 'jobs stops', 'open-jobs stops']);
  });

  it('that share a lease are stopped when all of their starts have ended, and later kinds do not start', async () => {
    const held = Promise.withResolvers<void>();
    const slow = { ...worker('settling', 'slow'), start: () => held.promise.then(() => void said.push('slow starts')) };
    const failing = { ...worker('settling', 'failing'), start: () => Promise.reject(new Error('The disk is full.')) };
    const workers = workersOf({ durable: false, all: [failing, slow, worker('saga', 'saga/a')] });
    const starting = expect(workers.startWork()).rejects.toThrow('The disk is full.');
    await new Promise(setImmediate);
    const leaving = workers.leave();
    await new Promise(setImmediate);
    expect(taken()).toEqual([]);
    held.resolve();
    await Promise.all([starting, leaving]);
    expect(taken()).toEqual(['slow starts', 'saga/a stops', 'failing stops', 'slow stops']);
  });

  it.each<[ServiceRole, readonly string[]]>([
    ['api', []],
    ['projections', ['read-model/a']],
    ['scheduler', ['scheduler']],
    ['runner', ['open-jobs', 'jobs']],
    ['sagas', ['saga/b', 'saga/a', 'seal']],
    ['mail-in', ['mail']],
  ])('with the role %s are %j', async (role, names) => {
    const workers = workersOf({ roles: [role] });
    await workers.startReads();
    await workers.startWork();
    expect(taken().filter((one) => one.endsWith('starts'))).toEqual(names.map((name) => `${name} starts`));
  });
});
