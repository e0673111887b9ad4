import { once } from 'node:events';
import { inspect } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WorkerSealedPeople } from '../../../src/adapters/sealed-people/worker/worker-sealed-people.adapter.js';
import { PeopleNotJudged, type PeopleRequest } from '../../../src/ports/offloaded/sealed-people.port.js';
import { VaultSealBroken } from '../../../src/ports/vault.port.js';
import { guest, SealedCrowd } from '../../support/stores/sealed-crowd.js';

const rule = { condition: { type: 'email', value: '@example.org' }, policies: {}, fields: [] };

describe('sealed people: threads', () => {
  let crowd: SealedCrowd;
  let people: WorkerSealedPeople;
  let threads: Worker[];
  let page: PeopleRequest;
  const open = (idleMs?: number) => {
    threads = [];
    const onThread = (thread: Worker) => void threads.push(thread);
    return new WorkerSealedPeople({ masterKey: crowd.masterKey, onThread, ...(idleMs !== undefined && { idleMs }) });
  };
  beforeEach(async () => {
    crowd = new SealedCrowd();
    people = open();
    const guests = [
      guest('ada', { email: 'ada@example.org' }),
      guest('eve'),
      guest('max', { email: 'max@example.org' }),
    ];
    page = { ...(await crowd.request(await crowd.sealed(guests), ['email'])), rule };
  });
  afterEach(async () => {
    await people.close();
    await crowd.close();
  });

  const judged = (workspaceId = 'ws_1') => people.judge({ ...page, workspaceId });

  it('are judged in threads that start on demand: two for a workspace, three in total', async () => {
    expect(threads).toHaveLength(0);
    expect(await people.judge({ ...page, people: [] })).toEqual({ ids: [], tokens: [] });
    expect(threads).toHaveLength(0);
    expect(await judged()).toEqual({ ids: ['ada', 'max'], tokens: [] });
    expect(threads).toHaveLength(1);
    await Promise.all(Array.from({ length: 6 }, () => judged()));
    expect(threads).toHaveLength(2);
    await Promise.all(Array.from({ length: 6 }, (_, at) => judged(`ws_${at % 3}`)));
    expect(threads).toHaveLength(3);
  });

  it('answers each request of many at once', async () => {
    const asked = Array.from({ length: 50 }, (_, at) => {
      const value = at % 2 === 0 ? '@example.org' : '@example.com';
      return people.judge({ ...page, rule: { ...rule, condition: { type: 'email', value } } });
    });
    const answers = (await Promise.all(asked)).map(({ ids }) => ids.join());
    expect(answers).toEqual(Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? 'ada,max' : 'eve')));
  });

  it('ends a thread that is idle, and starts another for the next page', async () => {
    await people.close();
    people = open(1);
    await judged();
    await once(threads[0] as Worker, 'exit');
    expect(await judged()).toEqual({ ids: ['ada', 'max'], tokens: [] });
    expect(threads).toHaveLength(2);
  });

  it('rejects the page of a terminated thread, with no key or field in the error, and judges the next', async () => {
    await judged();
    // So many that the thread is still busy when it is terminated.
    const many = Array.from({ length: 20_000 }, () => page.people).flat();
    const failure = people.judge({ ...page, people: many }).catch((error: unknown) => error);
    // Waits some microtasks until the page has been posted to the thread.
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    await threads[0]?.terminate();
    expect(await failure).toBeInstanceOf(PeopleNotJudged);
    expect(inspect(await failure, { depth: 10 })).not.toMatch(/sealed:1:|ada@|Uint8Array|KeyObject/);
    expect(await judged()).toEqual({ ids: ['ada', 'max'], tokens: [] });
    expect(threads).toHaveLength(2);
  });

  it('rejects a page whose key cannot be opened, names only the entry, and goes on', async () => {
    const other = new WorkerSealedPeople({ masterKey: Buffer.alloc(32, 8) });
    const failure = await other.judge(page).catch((error: unknown) => error);
    await other.close();
    expect(failure).toBeInstanceOf(VaultSealBroken);
    expect(String(failure)).toContain('personal/ws_1/crowdGuest.ada');
    expect(inspect(failure, { depth: 10 })).not.toMatch(/sealed:1:|ada@|Uint8Array|KeyObject/);
  });

  it('rejects waiting and new pages once it is closed', async () => {
    const ends = Promise.allSettled(Array.from({ length: 5 }, () => judged()));
    await people.close();
    for (const end of await ends) expect(end).toMatchObject({ status: 'rejected' });
    await expect(judged()).rejects.toThrow(PeopleNotJudged);
  });
});
