import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { EmbeddedEventStore } from '../../../src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { SystemIds } from '../../../src/adapters/system/system-ids.adapter.js';
import type { RunEvent } from '../../../src/areas/functions/run/run.record.js';
import { RunEnds } from '../../../src/areas/functions/run/run-ends.js';
import { RunJournal } from '../../../src/areas/functions/run/run-journal.js';
import { ended, type RunEnd } from '../../../src/areas/functions/run/run-record.js';
import type { RunRequest } from '../../../src/areas/functions/run/run-request.api.js';
import type { Environment } from '../../../src/config/environment.js';
import { Journal } from '../../../src/engine/journal/journal.js';
import { ReadModels } from '../../../src/engine/read-models/read-models.js';
import { ReadYourWrites } from '../../../src/engine/read-models/read-your-writes.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { type Appended, type AppendRequest, EventStoreUnavailable } from '../../../src/ports/event-store.port.js';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { storeRetryOf } from '../../support/given/store-retry.js';
import { uncounted } from '../../support/given/uncounted.js';

const request: RunRequest = {
  workspaceId: 'ws',
  functionId: 'fn_1',
  runId: 'run_1',
  params: {},
  source: 'api',
  starter: { kind: 'webhook', id: 'wh_1' },
  actor: { kind: 'webhook', id: 'wh_1', name: 'Webhook' },
  correlationId: 'run_1',
  causationId: null,
  depth: 0,
};
const later = '2026-01-01T00:01:00.000Z';
const lost = (attempt: number, retryAt: string | null) => ended('run_1', attempt, 'The service stopped.', retryAt);
const failed = (attempt: number, retryAt: string | null) => ended('run_1', attempt, 'boom', retryAt);
const dropped: RunEvent = { type: 'RunInputDropped', data: { runId: 'run_1', hasFiles: true } };
const succeeded = (attempt: number): RunEnd => ({
  type: 'RunEnded',
  data: { runId: 'run_1', attempt, error: null, durationMs: 1, retryAt: null, logs: [] },
});

class FaultyEventStore extends EmbeddedEventStore {
  /** While true, nothing is recorded. */
  isAway = false;
  /** If true, the next append is recorded, but its caller gets an error. */
  losesReply = false;

  override async append(requests: readonly AppendRequest[]): Promise<readonly Appended[]> {
    if (this.isAway) throw new EventStoreUnavailable('away');
    const appended = await super.append(requests);
    if (!this.losesReply) return appended;
    this.losesReply = false;
    throw new EventStoreUnavailable('The reply was lost.');
  }
}

let directory: EmbeddedDirectory;
let store: FaultyEventStore;
let clock: MadeUpClock;
let journal: RunJournal;
let ends: RunEnds;
Logger.overrideLogger(false);
beforeEach(() => {
  directory = new EmbeddedDirectory();
  store = new FaultyEventStore({ directory: directory.path, onOpen: () => undefined });
  clock = new MadeUpClock();
  const readYourWrites = new ReadYourWrites(clock, new ReadModels([]), {} as Environment);
  journal = new RunJournal(new Journal(store, clock, readYourWrites, new SystemIds(clock), uncounted));
  ends = new RunEnds(journal, clock, storeRetryOf(clock), { hasEnded: () => undefined } as never);
});
afterEach(async () => {
  await store.close();
  directory.remove();
});

const recorded = async () =>
  (await store.readStream(streamOf('run', 'ws', 'fn_1'))).map(({ type, data }) => ({ type, data }));
/** Moves the clock until the end of the run is no longer written in the background. */
async function untilRecorded(): Promise<void> {
  let isRecorded = false;
  ends.recorded('run_1').then(() => {
    isRecorded = true;
  });
  await eventually(
    async () => {
      clock.advance(1_000);
      return isRecorded;
    },
    (is) => is,
  );
}

describe('the end of an attempt of an accepted run whose process was wrongly considered dead', () => {
  it.each([
    ['another attempt follows, which needs the input', lost(1, later)],
    ['it was the last, so the run has failed and may be replayed', lost(1, null)],
  ])('does not count, and nothing is dropped: %s', async (_, first) => {
    await journal.write(request, [first]);
    await ends.recordEnd(request, true, succeeded(1));
    await ends.recorded('run_1');
    expect(await recorded()).toEqual([first]);
  });

  it('does not count either if it is recorded in the background, because the store was away', async () => {
    store.isAway = true;
    await expect(ends.recordEnd(request, true, succeeded(1))).rejects.toMatchObject({ code: 'run-not-recorded' });
    store.isAway = false;
    await journal.write(request, [lost(1, later)]);
    await untilRecorded();
    expect(await recorded()).toEqual([lost(1, later)]);
  });
});

it('the end of a later attempt is recorded although the files of the run were dropped before', async () => {
  await journal.write(request, [lost(1, null), dropped]);
  await ends.recordEnd({ ...request, hasFiles: true }, false, failed(2, null));
  expect(await recorded()).toEqual([lost(1, null), dropped, failed(2, null)]);
});

describe('a run with a waiting caller whose first attempt failed, while the reply about its end was lost', () => {
  it.each([
    ['without files', {}, []],
    ['with files', { hasFiles: true }, [dropped]],
  ])('ends without another attempt: %s', async (_, facts, dropping) => {
    store.losesReply = true;
    const recording = ends.recordEnd({ ...request, ...facts }, false, failed(1, later));
    await expect(recording).rejects.toMatchObject({ code: 'run-not-recorded' });
    await untilRecorded();
    const [first, last, ...others] = await recorded();
    expect([first, others]).toEqual([failed(1, later), dropping]);
    const error = expect.stringContaining('there was no further attempt');
    expect(last).toMatchObject({ type: 'RunEnded', data: { runId: 'run_1', attempt: 2, error, retryAt: null } });
  });

  it('ends with that attempt if its end had not been recorded', async () => {
    store.isAway = true;
    await expect(ends.recordEnd(request, false, failed(1, later))).rejects.toMatchObject({ code: 'run-not-recorded' });
    store.isAway = false;
    await untilRecorded();
    expect(await recorded()).toEqual([failed(1, null)]);
  });
});
