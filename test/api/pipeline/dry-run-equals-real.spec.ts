// Second tier.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { auditedCategories } from '../../../src/areas/audit/reading/audit-reading.record.js';
import { PersonalData } from '../../../src/engine/personal-data/personal-data.js';
import type { RecordedEvent } from '../../../src/kernel/event/event.js';
import { parseStream } from '../../../src/kernel/event/stream-name.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { Reply, TestApp } from '../../support/app.js';
import { isShallow, runs } from '../../support/depth.js';
import { inOtherWorkspace } from '../../support/people.js';
import { type Drawn, headOf, RandomCommands } from '../../support/random-commands/random-commands.js';
import { upToIds } from '../../support/random-commands/same-up-to-ids.js';
import { sharedApp } from '../../support/shared-app.js';
import { sagasAreDone } from '../../support/stores/sagas-are-done.js';
import { StoreMarks } from '../../support/stores/store-marks.js';

let app: TestApp;
let marks: StoreMarks;
beforeAll(async () => {
  app = await sharedApp();
  marks = new StoreMarks(app);
});
afterAll(() => app.close());

interface Told {
  readonly stream: string;
  readonly type: string;
  readonly data: unknown;
}

const audited = ({ stream }: Pick<RecordedEvent, 'stream'>) =>
  auditedCategories().includes(parseStream(stream).category);
const told = ({ stream, type, data }: Told): Told => ({ stream, type, data });

/** The events that followed from the call. `own` tells those of the call itself from those of the service. */
async function recordedAfter(
  { operation }: Drawn,
  after: number,
): Promise<readonly (Told & { readonly own: boolean })[]> {
  await sagasAreDone(app);
  const events = await app.app.get(EventStore, { strict: false }).readAll({ from: after, limit: 10_000 });
  const first = events.find(({ metadata }) => metadata.operation === operation && metadata.actor.kind !== 'system');
  // Other workspaces use the same service.
  const workspaceId = first?.metadata.workspaceId ?? events[0]?.metadata.workspaceId;
  const personal = app.app.get(PersonalData, { strict: false });
  return Promise.all(
    events
      .filter((event) => audited(event) && event.metadata.workspaceId === workspaceId)
      .map(async ({ stream, type, data, metadata }) => ({
        stream,
        type,
        data: await personal.opened(metadata.workspaceId, data),
        own: metadata.commandId === first?.metadata.commandId,
      })),
  );
}

/** Drops events of the service that the trial does not report, because trials do not wait for sagas. */
function upTo(tried: readonly Told[], recorded: Awaited<ReturnType<typeof recordedAfter>>): readonly Told[] {
  const left = new Map<string, number>();
  for (const { type } of tried) left.set(type, (left.get(type) ?? 0) + 1);
  for (const { type, own } of recorded) if (own) left.set(type, (left.get(type) ?? 0) - 1);
  return recorded
    .filter(({ type, own }) => {
      if (own) return true;
      left.set(type, (left.get(type) ?? 0) - 1);
      return (left.get(type) ?? 0) >= 0;
    })
    .map(told);
}

/** Fields that only the real call has: secrets that are shown once, and positions in the log. */
const shownOnce = new Set(['position', 'key', 'token', 'secret', 'url', 'mails', 'notShown', 'hint']);
function withoutShownOnce(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutShownOnce);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([name, one]) => !shownOnce.has(name) || (name !== 'mails' && typeof one === 'object' && one !== null),
  );
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutShownOnce(one)]));
}

/** The parts of the two results that must be equal. */
interface Outcome {
  readonly status: number;
  readonly code?: string;
  readonly card?: boolean;
  readonly events?: unknown;
  readonly answer?: unknown;
}

const comparable = (value: unknown) => upToIds(withoutShownOnce(value));

function triedOutcome({ status, body }: Reply, events: readonly Told[]): Outcome {
  if (status !== 200) return { status, code: body.code };
  return { status, card: body.card !== null, events: comparable(events), answer: comparable(body.answer) };
}

/**
 * The expected outcome of the trial. If the call reaches an outside system, the trial stops before it and has no
 * answer.
 */
function realOutcome({ status, body }: Reply, recorded: readonly Told[], stoppedAfter: number | undefined): Outcome {
  if (stoppedAfter !== undefined) {
    return { status: 200, card: status === 202, events: comparable(recorded.slice(0, stoppedAfter)), answer: null };
  }
  if (status >= 400) return { status, code: body.code };
  return { status: 200, card: status === 202, events: comparable(recorded), answer: comparable(body) };
}

/**
 * Runs the command as a dry run and then for real. Returns how the two differ, or that the dry run changed something.
 */
async function triedAndSent(drawn: Drawn): Promise<{ readonly reply: Reply; readonly differs: string | undefined }> {
  const { answer: trial, changed } = await marks.changedBy(() => drawn.send({ 'x-dry-run': 'true' }));
  const head = await headOf(app);
  const reply = await drawn.send();
  const recorded = await recordedAfter(drawn, head);
  try {
    expect(changed).toEqual({});
    const { dryRun, events = [], answer, outside } = trial.body;
    const tried = (events as readonly Told[]).filter(audited).map(told);
    const stopped = trial.status === 200 && answer === null && reply.body !== null;
    if (trial.status === 200) expect({ dryRun, outside }).toEqual({ dryRun: true, outside: expect.any(Array) });
    if (stopped) expect(outside).not.toEqual([]);
    const real = realOutcome(reply, upTo(tried, recorded), stopped ? tried.length : undefined);
    expect(triedOutcome(trial, tried)).toEqual(real);
    return { reply, differs: undefined };
  } catch (error) {
    return { reply, differs: `${JSON.stringify(drawn.body)}\n${(error as Error).message}` };
  }
}

describe('a dry run', () => {
  it('predicts the same command exactly, in any state, and changes nothing', async () => {
    const length = isShallow ? 40 : 120;
    const sequence = fc.array(fc.noBias(fc.nat()), { minLength: length, maxLength: length, size: 'max' });
    await fc.assert(
      fc.asyncProperty(sequence, async (seeds) => {
        const random = new RandomCommands((await inOtherWorkspace(app)).own);
        // The first difference of each operation.
        const wrong = new Map<string, string>();
        for (const seed of seeds) {
          const drawn = await random.draw(seed);
          const isVisitors = drawn.operation.startsWith('visitor/');
          const { reply, differs } = isVisitors
            ? { reply: await drawn.send(), differs: undefined }
            : await triedAndSent(drawn);
          if (differs !== undefined && !wrong.has(drawn.operation)) wrong.set(drawn.operation, differs);
          await drawn.note(reply);
        }
        expect([...wrong].map((one) => one.join(' '))).toEqual([]);
      }),
      { numRuns: runs(10), endOnFailure: true },
    );
  }, 600_000);
});
