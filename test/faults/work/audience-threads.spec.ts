// Second tier.
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { WorkerSealedPeople } from '../../../src/adapters/sealed-people/worker/worker-sealed-people.adapter.js';
import { readMasterKey } from '../../../src/adapters/vault/embedded/master-key.js';
import { Environment } from '../../../src/config/environment.js';
import {
  type JudgedPeople,
  type PeopleRequest,
  SealedPeople,
} from '../../../src/ports/offloaded/sealed-people.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { allowingLoopback, createMailbox, mailboxAt, mailOfTests, password } from '../../support/mail/mailboxes.js';
import { done } from '../../support/people.js';
import { CampaignSite } from '../../support/sites/campaigns.js';

/**
 * Judges in real threads. `holds` delays answers. During each of the next `kills` pages, all threads are terminated.
 */
class Threads extends SealedPeople {
  readonly all: Worker[] = [];
  readonly pages: string[][] = [];
  kills = 0;
  holds: Promise<void> | undefined;
  private readonly real: WorkerSealedPeople;

  constructor({ dataDir, masterKey: text }: Environment) {
    super();
    const masterKey = readMasterKey({ text, directory: dataDir });
    this.real = new WorkerSealedPeople({ masterKey, onThread: (thread) => this.all.push(thread) });
  }

  override async judge(request: PeopleRequest): Promise<JudgedPeople> {
    this.pages.push(request.people.map(({ sealed }) => JSON.stringify(sealed)));
    if (this.kills > 0) return await this.killed(request);
    const answer = await this.real.judge(request);
    await this.holds;
    return answer;
  }

  /** Makes the page so large that its thread is still busy when it is terminated. */
  private async killed({ people, ...request }: PeopleRequest): Promise<JudgedPeople> {
    this.kills -= 1;
    const judged = this.real.judge({ ...request, people: Array.from({ length: 2_000 }, () => people).flat() });
    judged.catch(() => {});
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    await Promise.all(this.all.map((thread) => thread.terminate()));
    return await judged;
  }

  override close(): Promise<void> {
    return this.real.close();
  }
}

let app: TestApp;
let server: MailServerForTests;
let site: CampaignSite;
let threads: Threads;
const names = Array.from({ length: 30 }, (_, at) => `u${at}`);
const audienceRules = { not: { type: 'email', value: 'u7@example.org' } };

beforeAll(async () => {
  server = await MailServerForTests.start({ password });
  const sealedPeople = {
    provide: SealedPeople,
    inject: [Environment],
    useFactory: (environment: Environment) => {
      threads = new Threads(environment);
      return threads;
    },
  };
  app = await startApp({
    environment: allowingLoopback,
    replacements: [mailOfTests(), sealedPeople],
  });
  await createMailbox(app, mailboxAt(server, { hourlyLimit: 10_000 }));
  site = await CampaignSite.of(app);
  await site.users(names.length);
});
afterAll(async () => {
  await app.close();
  await server.close();
});
beforeEach(() => {
  server.received.length = 0;
  threads.pages.length = 0;
});

const reached = names.filter((name) => name !== 'u7').map((name) => `${name}@example.org`);
const preview = async () => await site.call('previewCampaignAudience', { id: await site.draft({ audienceRules }) });

describe('the threads that judge an audience', () => {
  it('are given sealed fields only, and other calls are answered while they judge', async () => {
    const held = Promise.withResolvers<void>();
    threads.holds = held.promise;
    let isOver = false;
    const pending = preview().finally(() => {
      isOver = true;
    });
    while (threads.pages.length === 0) await done(app, 'workspace/getWorkspace', {});
    expect((await site.call('listCampaigns')).status).toBe(200);
    expect(isOver).toBe(false);
    held.resolve();
    threads.holds = undefined;
    expect((await pending).body).toMatchObject({ count: reached.length, suppressed: 0, partial: false });
    expect(threads.pages.flat()).toHaveLength(names.length);
    for (const sealed of threads.pages.flat()) expect(sealed).toMatch(/^\{"email":"sealed:1:[^"]+"\}$/);
    expect(threads.all.length).toBeGreaterThan(0);
  });

  it('that end in the middle make a preview fail, and the next one is right', async () => {
    threads.kills = 1;
    const { status, body, headers } = await preview();
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'audience-not-judged', '2']);
    expect((await preview()).body).toMatchObject({ count: reached.length, partial: false });
  });

  it('that end in the middle of a list of recipients let it be repeated: everybody gets one mail', async () => {
    threads.kills = 2;
    await site.send({ audienceRules });
    expect(threads.kills).toBe(0);
    expect(server.received.flatMap(({ to }) => to).toSorted()).toEqual(reached.toSorted());
  }, 90_000);

  it('recognise a suppressed address by its token, among all users and those of a rule', async () => {
    await site.done('addSuppression', { email: 'U3@example.org' });
    await site.done('addSuppression', { email: 'u7@example.org' });
    await site.done('addSuppression', { email: 'nobody@example.org' });
    const counted = async (more: object) => {
      const { sample, ...said } = await site.done('previewCampaignAudience', { id: await site.draft(more) });
      expect(sample.map(({ name }: { name: string }) => name)).not.toContain('u3');
      return said;
    };
    expect(await counted({})).toEqual({ count: 28, suppressed: 2, partial: false });
    expect(await counted({ audienceRules })).toEqual({ count: 28, suppressed: 1, partial: false });
  });
});
