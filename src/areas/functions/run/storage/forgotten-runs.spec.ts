import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MadeUpClock } from '../../../../../test/support/clocks/made-up-clock.js';
import { EventStoreInMemory } from '../../../../../test/support/given/event-store-in-memory.js';
import { specWorkspace } from '../../../../../test/support/given/given.js';
import { uncounted } from '../../../../../test/support/given/uncounted.js';
import { SystemIds } from '../../../../adapters/system/system-ids.adapter.js';
import type { Environment } from '../../../../config/environment.js';
import { Journal } from '../../../../engine/journal/journal.js';
import { systemActor } from '../../../../engine/operation/calls.js';
import { ReadModels } from '../../../../engine/read-models/read-models.js';
import { ReadYourWrites } from '../../../../engine/read-models/read-your-writes.js';
import { streamOf } from '../../../../kernel/event/stream-name.js';
import type { ReadStore } from '../../../../ports/read-store.port.js';
import { runCategory } from '../run.record.js';
import { ForgottenRuns } from './forgotten-runs.api.js';

const fn = { workspaceId: specWorkspace, functionId: 'fn_1' };
const stream = streamOf(runCategory, specWorkspace, 'fn_1');
const by = { workspaceId: specWorkspace, actor: systemActor('spec'), operation: 'spec' };

let journal: Journal;
let forgotten: ForgottenRuns;
beforeEach(() => {
  const clock = new MadeUpClock();
  const readYourWrites = new ReadYourWrites(clock, new ReadModels([]), {} as Environment);
  journal = new Journal(new EventStoreInMemory(), clock, readYourWrites, new SystemIds(clock), uncounted);
  forgotten = new ForgottenRuns({} as ReadStore, journal);
});

/** Records events of runs, more than a page of the journal has. Returns the position of the last one. */
async function runs(): Promise<number> {
  const events = Array.from({ length: 150 }, () => ({ type: 'RunStarted', data: {} }));
  return (await journal.append({ stream, by, events })).position;
}

/** Removes everything, as this version of the service does or, if `earlier`, as one that passed no ends on. */
async function remove({ earlier = false } = {}): Promise<void> {
  const throughRevision = (await journal.last(stream))?.revision ?? -1;
  const ends = earlier ? {} : { endsKnownFrom: await forgotten.before(fn, throughRevision) };
  const data = { throughRevision, triggers: [], ...ends };
  await journal.forget({ stream, by, events: [{ type: 'RunsForgotten', data }] }, throughRevision);
}

describe('a run that began after a position', () => {
  it('was not removed without passing its end on if no run was removed, or each removal passed the ends on', async () => {
    expect(await forgotten.mayMiss(fn, 0)).toBe(false);
    await runs();
    expect(await forgotten.mayMiss(fn, 0)).toBe(false);
    for (let times = 0; times < 3; times++) {
      await remove();
      await runs();
      expect(await forgotten.mayMiss(fn, 0)).toBe(false);
    }
  });

  it('may have been if an earlier version removed runs since, also after this version has removed the rest', async () => {
    await runs();
    await remove({ earlier: true });
    const position = await runs();
    for (let times = 0; times < 3; times++) {
      expect(await forgotten.mayMiss(fn, 0)).toBe(true);
      expect(await forgotten.mayMiss(fn, position)).toBe(false);
      await remove();
      await runs();
    }
  });

  it('may have been if an earlier version was started again and removed runs', async () => {
    await runs();
    await remove();
    const position = await runs();
    await remove({ earlier: true });
    await runs();
    await remove();
    expect(await forgotten.mayMiss(fn, position - 1)).toBe(true);
  });

  it('is looked for once after each removal, however many mails wait', async () => {
    const looks = jest.spyOn(journal, 'lastOf');
    for (const removals of [1, 2]) {
      await runs();
      await remove();
      await runs();
      looks.mockClear();
      for (let mails = 0; mails < 3; mails++) await forgotten.mayMiss(fn, 0);
      expect([removals, looks.mock.calls.length]).toEqual([removals, 1]);
    }
  });
});
