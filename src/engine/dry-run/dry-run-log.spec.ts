import { beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreInMemory } from '../../../test/support/given/event-store-in-memory.js';
import { specMetadata } from '../../../test/support/given/given.js';
import type { NewEvent } from '../../kernel/event/event.js';
import { WrongExpectedRevision } from '../../ports/event-store.port.js';
import { DryRun, firstDryRunPosition } from './dry-run.js';
import { DryRunLog } from './dry-run-log.js';

const stream = 'thing-ws_1.thing_1';
const events = (...ids: string[]): readonly NewEvent[] =>
  ids.map((id) => ({ id, type: 'Done', data: { id }, metadata: specMetadata() }));

let real: EventStoreInMemory;
let dryRun: DryRun;
let log: DryRunLog;
beforeEach(async () => {
  real = new EventStoreInMemory();
  await real.append([{ stream, expected: 'none', events: events('a', 'b', 'c') }]);
  dryRun = new DryRun();
  log = new DryRunLog(dryRun, real);
});

const idsOf = async (read: Promise<readonly { readonly id: string }[]>) => (await read).map(({ id }) => id).join('');

describe('the log of a dry run', () => {
  it('shows its events after the recorded ones, in any stretch and both directions', async () => {
    await log.append([{ stream, expected: 2, events: events('d', 'e') }]);
    for (const limit of [1, 2, 3, 4, 9]) {
      for (let from = 0; from <= 5; from += 1) {
        const forward = await idsOf(log.readStream(stream, { from, limit }));
        expect([from, limit, forward]).toEqual([from, limit, 'abcde'.slice(from, from + limit)]);
        const backward = await idsOf(log.readStream(stream, { from, limit, direction: 'backward' }));
        expect([from, limit, backward]).toEqual([
          from,
          limit,
          [...'abcde'.slice(0, from + 1)].reverse().join('').slice(0, limit),
        ]);
      }
    }
    expect(await idsOf(log.readStream(stream, { direction: 'backward' }))).toBe('edcba');
    expect(await idsOf(real.readStream(stream))).toBe('abc');
    expect(dryRun.events.map(({ position }) => position)).toEqual([firstDryRunPosition, firstDryRunPosition + 1]);
  });

  it('records all or nothing, at the expected revision', async () => {
    const other = 'thing-ws_1.thing_2';
    const both = [
      { stream: other, expected: 'none', events: events('x') },
      { stream, expected: 1, events: events('y') },
    ] as const;
    await expect(log.append(both)).rejects.toThrow(WrongExpectedRevision);
    expect([await log.readStream(other), dryRun.events]).toEqual([[], []]);
    await log.append([{ stream: other, expected: 'none', events: events('x') }]);
    await expect(log.append([{ stream: other, expected: 'none', events: events('y') }])).rejects.toThrow(
      WrongExpectedRevision,
    );
    expect(await log.append([{ stream: other, expected: 0, events: events('z') }])).toMatchObject([{ revision: 1 }]);
  });

  it('records nothing twice, neither recorded events nor its own', async () => {
    expect(await log.append([{ stream, expected: 'none', events: events('a', 'b') }])).toMatchObject([{ revision: 0 }]);
    await log.append([{ stream, expected: 'any', events: events('d') }]);
    await log.append([{ stream, expected: 'any', events: events('d') }]);
    expect(await idsOf(log.readStream(stream))).toBe('abcd');
  });

  it('does not see what others record in a stream that it has written to', async () => {
    await log.append([{ stream, expected: 2, events: events('d') }]);
    await real.append([{ stream, expected: 2, events: events('other') }]);
    expect(await idsOf(log.readStream(stream))).toBe('abcd');
    expect(await idsOf(log.readStream(stream, { direction: 'backward', limit: 2 }))).toBe('dc');
  });
});
