import { describe, expect, it } from '@jest/globals';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import { type Log, lookUpReservation, uniqueName } from './reservation.js';

type Named = Document & { readonly name: string };

const named = uniqueName('spec', {} as RecordAggregate<Named, DomainEvent>, (document: Named) => document.name);
const at = '2026-01-01T00:00:00.000Z';
const last = {
  revision: 0,
  position: 1,
  data: { name: 'Key', holder: 'row-ws_1.a' },
  metadata: { at, commandId: 'c' },
};

function found(recorded: boolean, ...looks: readonly (string | undefined)[]) {
  const left = [...looks];
  const load = async () => {
    const name = left.length > 1 ? left.shift() : left[0];
    return { state: name === undefined ? undefined : { id: 'a', workspaceId: 'ws_1', name } };
  };
  const log = { store: { readStream: async () => [last] }, loader: { load, recordedBy: async () => recorded } };
  return lookUpReservation(log as unknown as Log, 'ws_1', named('Key', 'row-ws_1.b'), Date.parse(at) + 1_000);
}

describe('a reserved name is taken', () => {
  it.each([
    ['while its holder has it', true, ['Key'], true],
    ['while its holder is still to be recorded', false, [undefined], true],
    ['when its holder was recorded between two looks', true, [undefined, 'Key'], true],
    ['no more when its holder gave it up', true, ['Other'], false],
    ['no more when its holder is gone', true, [undefined], false],
  ] as const)('a reserved name is taken, or not: %s', async (_, recorded, looks, taken) => {
    expect((await found(recorded, ...looks)).taken).toBe(taken);
  });
});
