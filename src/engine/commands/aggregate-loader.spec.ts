import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { specMetadata } from '../../../test/support/given/given.js';
import { EmbeddedEventStore } from '../../adapters/event-store/embedded/embedded-event-store.adapter.js';
import { EmbeddedReadStore } from '../../adapters/read-store/embedded/embedded-read-store.adapter.js';
import type { Environment } from '../../config/environment.js';
import type { DomainEvent, Recorded, RecordedEvent } from '../../kernel/event/event.js';
import { fold } from '../../kernel/record/aggregate.js';
import type { Document } from '../../kernel/record/projection.js';
import { record, recordsProjection } from '../../kernel/record/record.js';
import { type EventStore, EventStoreUnavailable } from '../../ports/event-store.port.js';
import { ReadStoreUnavailable } from '../../ports/read-store.port.js';
import { roundsOf, writesOf } from '../projections/projection-writes.js';
import { Quarantine } from '../read-models/quarantine.js';
import { ReadModels } from '../read-models/read-models.js';
import { ReadYourWrites } from '../read-models/read-your-writes.js';
import { AggregateLoader } from './aggregate-loader.js';

interface Page extends Document {
  readonly text: string;
  readonly edits: number;
}
type PageEvent =
  | DomainEvent<'PageMade', { readonly text: string }>
  | DomainEvent<'PageEdited', { readonly text: string }>
  | DomainEvent<'PageDeleted', object>;

function folded(data: { readonly text: string }) {
  if (data.text === 'unfoldable') throw new Error('It cannot be folded.');
  return data;
}

const pages = record<Page, PageEvent>()({
  category: 'specPage',
  auditedFor: 'workspace.read',
  shownBy: null,
  undoing: 'Nothing of it can be undone.',
  missing: () => {
    throw new Error('There is no such page.');
  },
  begins: { PageMade: ({ data }, ids) => ({ ...ids, ...folded(data), edits: 0 }) },
  continues: {
    PageEdited: (page, { data }) => ({ ...page, ...folded(data), edits: page.edits + 1 }),
    PageDeleted: () => undefined,
  },
});
const projection = recordsProjection(pages, { name: 'specPages', version: 1, indexes: [] });
const build = { projection: 'specPages', generation: 'v1_0' };
const stream = 'specPage-ws.p';

let directory: string;
let events: EmbeddedEventStore;
let documents: EmbeddedReadStore;
let reads: number[];
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'aggregate-loader-'));
  events = new EmbeddedEventStore({ directory });
  documents = new EmbeddedReadStore({ directory, patienceMs: 0 });
  await documents.prepare(build, projection.collections);
  reads = [];
});
afterEach(async () => {
  await events.close();
  await documents.close();
  rmSync(directory, { recursive: true, force: true });
});

function freshLoader(of: readonly [typeof projection] | readonly [] = [projection]): AggregateLoader {
  const models = new ReadModels(of);
  const counted = Object.create(events, {
    readStream: {
      value: async (...asked: Parameters<EventStore['readStream']>) => {
        const found = await events.readStream(...asked);
        reads.push(found.length);
        return found;
      },
    },
  }) as EventStore;
  return new AggregateLoader(
    counted,
    documents,
    models,
    new ReadYourWrites(new MadeUpClock(), models, {} as Environment),
  );
}

let number = 0;
async function append(type: PageEvent['type'], text: string, commandId = 'c'): Promise<number> {
  number += 1;
  const id = `00000000-0000-8000-8000-${String(number).padStart(12, '0')}`;
  const [appended] = await events.append([
    { stream, expected: 'any', events: [{ id, type, data: { text }, metadata: specMetadata({ commandId }) }] },
  ]);
  return appended?.position ?? -1;
}

async function project(): Promise<void> {
  const from = await documents.checkpoint(build);
  const missing = await events.readAll({ from, limit: 1_000, categories: ['specPage'] });
  let checkpoint = from;
  const setAside = new Quarantine(projection, build, documents);
  for (const round of roundsOf([{ projection, build, setAside }], missing)) {
    const writes = await writesOf(documents, round);
    await setAside.save();
    const written = documents.commit(build, checkpoint, round.upTo, writes);
    documents.flushSoon();
    await written;
    checkpoint = round.upTo;
  }
  if ((await documents.active('specPages')) === undefined) await documents.activate(build, projection.collections);
}

const wholeFold = async () =>
  fold(pages, undefined, (await events.readStream(stream)) as unknown as readonly Recorded<PageEvent>[]);

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

describe('a loaded record', () => {
  it('is the fold of its whole stream, wherever the read model is', async () => {
    const happening = fc.constantFrom('edit', 'edit', 'edit', 'delete', 'make', 'project');
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 60 }), async (happenings) => {
        const warm = freshLoader();
        for (const [at, what] of happenings.entries()) {
          if (what === 'project') await project();
          else if (what === 'make') await append('PageMade', `${at}`);
          else await append(what === 'edit' ? 'PageEdited' : 'PageDeleted', `${at}`);
          if (at % 7 === 0) expect((await warm.load(pages, stream)).state).toEqual(await wholeFold());
        }
        const history = await events.readStream(stream);
        const expected = { state: await wholeFold(), revision: history.length - 1 };
        expect(await freshLoader().load(pages, stream)).toEqual(expected);
        expect(await warm.load(pages, stream)).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  it('is read from its document and the events since, not from its history', async () => {
    await append('PageMade', 'first');
    for (let edit = 0; edit < 300; edit += 1) await append('PageEdited', `${edit}`);
    await project();
    await append('PageEdited', 'after');
    expect((await freshLoader().load(pages, stream)).state).toMatchObject({ text: 'after', edits: 301 });
    expect(sum(reads)).toBeLessThan(15);
  });

  it('is folded from its beginning, in pages, while there is no read model of this version', async () => {
    await append('PageMade', 'first');
    for (let edit = 0; edit < 250; edit += 1) await append('PageEdited', `${edit}`);
    expect((await freshLoader([]).load(pages, stream)).state).toMatchObject({ text: '249', edits: 250 });
    expect(Math.max(...reads)).toBeLessThanOrEqual(100);
    const newer = recordsProjection(pages, { name: 'specPages', version: 2, indexes: [] });
    await project();
    expect((await freshLoader([newer]).load(pages, stream)).state).toMatchObject({ text: '249', edits: 250 });
  });

  it('is folded from its beginning while the read store is away', async () => {
    await append('PageMade', 'first');
    for (let edit = 0; edit < 20; edit += 1) await append('PageEdited', `${edit}`);
    await project();
    documents.load = () => Promise.reject(new ReadStoreUnavailable('away'));
    expect((await freshLoader().load(pages, stream)).state).toMatchObject({ text: '19', edits: 20 });
  });

  it('is not guessed while the log is away', async () => {
    await append('PageMade', 'first');
    await project();
    events.readStream = () => Promise.reject(new EventStoreUnavailable('away'));
    await expect(freshLoader().load(pages, stream)).rejects.toBeInstanceOf(EventStoreUnavailable);
  });

  it.each([0, 20])('is refused if one of its events cannot be folded, with %s events before it', async (before) => {
    await append('PageMade', 'first');
    const warm = freshLoader();
    for (let edit = 0; edit < before; edit += 1) await append('PageEdited', `${edit}`);
    await project();
    await warm.load(pages, stream);
    await append('PageEdited', 'unfoldable');
    const refused = { code: 'record-set-aside', kind: 'unavailable' };
    await expect(warm.load(pages, stream)).rejects.toMatchObject(refused);
    await expect(freshLoader().load(pages, stream)).rejects.toMatchObject(refused);
    await project();
    await append('PageEdited', 'later');
    for (const loader of [warm, freshLoader()]) await expect(loader.load(pages, stream)).rejects.toMatchObject(refused);
  });

  it('is refused, and not treated as deleted, if its first event cannot be folded', async () => {
    await append('PageMade', 'unfoldable');
    for (let edit = 0; edit < 20; edit += 1) await append('PageEdited', `${edit}`);
    await project();
    await expect(freshLoader().load(pages, stream)).rejects.toMatchObject({ code: 'record-set-aside' });
  });
});

describe('whether a command was recorded', () => {
  it('is searched for no further back than the event that caused it', async () => {
    await append('PageMade', 'first', 'old');
    for (let edit = 0; edit < 200; edit += 1) await append('PageEdited', `${edit}`, `edit-${edit}`);
    const cause = await append('PageEdited', 'cause', 'cause');
    expect(await freshLoader().recordedBy(stream, 'effect', cause)).toBe(false);
    expect(sum(reads)).toBe(1);
    await append('PageEdited', 'effect', 'effect');
    await append('PageEdited', 'later', 'later');
    expect(await freshLoader().recordedBy(stream, 'effect', cause)).toBe(true);
  });

  it('is searched for in the whole stream if the earliest position is unknown', async () => {
    await append('PageMade', 'first', 'wanted');
    for (let edit = 0; edit < 200; edit += 1) await append('PageEdited', `${edit}`, `edit-${edit}`);
    expect(await freshLoader().recordedBy(stream, 'wanted')).toBe(true);
    expect(await freshLoader().recordedBy(stream, 'another')).toBe(false);
  });

  it('reads a whole history a page at a time, oldest first', async () => {
    for (let edit = 0; edit < 230; edit += 1) await append(edit === 0 ? 'PageMade' : 'PageEdited', `${edit}`);
    const found: RecordedEvent[] = [];
    for await (const event of freshLoader().history(stream)) found.push(event);
    expect(found.map(({ revision }) => revision)).toEqual(Array.from({ length: 230 }, (_, revision) => revision));
    expect(Math.max(...reads)).toBeLessThanOrEqual(100);
  });
});
