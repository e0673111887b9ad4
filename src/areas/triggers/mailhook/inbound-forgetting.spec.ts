import { expect, it } from '@jest/globals';
import type { Journal, JournalEntry } from '../../../engine/journal/journal.js';
import type { Blobs } from '../../../ports/blobs.port.js';
import type { ReadStore } from '../../../ports/read-store.port.js';
import type { Vault } from '../../../ports/vault.port.js';
import { InboundForgetting } from './inbound-forgetting.api.js';

it('a mail that arrives while its mailhook is being removed is removed as well', async () => {
  const destroyed: string[] = [];
  const forgotten: number[] = [];
  const revisions = [3, 4];
  const journal = {
    last: async () => ({ type: 'EmailReceived', data: {}, revision: revisions[0] }),
    forget: async (_: JournalEntry, through: number) => {
      forgotten.push(through);
      return revisions.shift() === 4;
    },
  } as unknown as Journal;
  const store = { find: async () => [] } as unknown as ReadStore;
  const blobs = { destroyAll: async (name: string) => destroyed.push(name) } as unknown as Blobs;
  await new InboundForgetting(store, journal, blobs, {} as Vault).all('ws_1', 'mh_1');
  expect(forgotten).toEqual([3, 4]);
  expect(destroyed).toHaveLength(2);
});
