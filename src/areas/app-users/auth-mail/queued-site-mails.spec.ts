import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedDirectory } from '../../../../test/contracts/embedded-directory.js';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import { EmbeddedReadStore } from '../../../adapters/read-store/embedded/embedded-read-store.adapter.js';
import { QueuedSiteMails } from './queued-site-mails.js';
import { type SiteMailInHand, siteMails } from './site-mail.record.js';
import { siteMailMessage } from './site-mail-requests.api.js';

let directory: EmbeddedDirectory;
let store: EmbeddedReadStore;
const clock = new MadeUpClock();
const build = { projection: 'siteMails', generation: 'v1_0' };
beforeEach(async () => {
  directory = new EmbeddedDirectory();
  store = new EmbeddedReadStore({ directory: directory.path });
  const collections = { siteMails: { indexes: siteMails.collection?.indexes ?? [] } };
  await store.prepare(build, collections);
  await store.activate(build, collections);
});
afterEach(async () => {
  await store.close();
  directory.remove();
});

function mail(id: string, dueInMs: number, more: Partial<SiteMailInHand> = {}): SiteMailInHand {
  const dueAt = new Date(clock.now() + dueInMs).toISOString();
  const made = { id, workspaceId: 'ws_1', projectId: 'proj_1', status: 'accepted', attempts: 0, dueAt };
  return { ...made, ...more } as SiteMailInHand;
}

describe('the next mails of a site', () => {
  it('are those that are due and not kept, the earliest first', async () => {
    const mails = [
      mail('sm_1', -10),
      mail('sm_2', -30, { status: 'delayed', attempts: 2 }),
      mail('sm_3', -20, { status: 'kept' }),
      mail('sm_4', 1_000),
      mail('sm_5', -40, { projectId: 'proj_2' }),
      mail('sm_6', -40, { workspaceId: 'ws_2' }),
    ];
    const writes = mails.map((document) => ({ kind: 'put', collection: 'siteMails', document, position: 1 }) as const);
    await store.commit(build, -1, 1, writes);
    const queued = new QueuedSiteMails(store, clock);
    const { key } = siteMailMessage(mail('sm_1', 0));
    expect((await queued.next(key, 50)).map(({ id }) => id)).toEqual(['sm_2/2', 'sm_1/0']);
    expect((await queued.next(key, 1)).map(({ id }) => id)).toEqual(['sm_2/2']);
  });
});
