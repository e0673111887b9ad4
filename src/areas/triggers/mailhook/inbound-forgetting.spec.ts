import { expect, it } from '@jest/globals';
import type { CommandRunner } from '../../../engine/commands/command-runner.js';
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
  await new InboundForgetting(store, journal, blobs, {} as Vault, {} as CommandRunner).all('ws_1', 'mh_1');
  expect(forgotten).toEqual([3, 4]);
  expect(destroyed).toHaveLength(2);
});

it.each([
  ['that stays deleted loses its mail', undefined, 3, 1],
  ['that stays deleted loses its later mail', undefined, 9, 1],
  ['that is restored at once loses its earlier mail', {}, 3, 1],
  ['that was restored before a repetition keeps its later mail', {}, 9, 0],
])('a deleted mailhook %s', async (_, mailhook, oldest, times) => {
  const destroyed: string[] = [];
  const journal = { at: async () => ({ position: oldest }), last: async () => undefined } as unknown as Journal;
  const store = { find: async () => [] } as unknown as ReadStore;
  const blobs = { destroyAll: async (name: string) => destroyed.push(name) } as unknown as Blobs;
  const runner = { find: async () => mailhook } as unknown as CommandRunner;
  await new InboundForgetting(store, journal, blobs, {} as Vault, runner).ofDeleted('ws_1', 'mh_1', 7);
  expect(destroyed).toHaveLength(times);
});
