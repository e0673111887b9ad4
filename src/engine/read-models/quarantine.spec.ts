import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { recorded } from '../../../test/support/given/given.js';
import { EmbeddedReadStore } from '../../adapters/read-store/embedded/embedded-read-store.adapter.js';
import type { Environment } from '../../config/environment.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import { parseStream, streamOf } from '../../kernel/event/stream-name.js';
import { type Document, type Projection, projection, step } from '../../kernel/record/projection.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import type { EventStore } from '../../ports/event-store.port.js';
import { ProjectionFeed } from '../projections/projection-feed.js';
import { CurrentReadStore } from './current-read-store.js';
import { ReadModels } from './read-models.js';
import { ReadYourWrites } from './read-your-writes.js';

interface Note extends Document {
  readonly words: number;
}

/**
 * A projection that fails until it is `mended`: it cannot fold an event with the word `bad`, cannot read one with
 * `torn`, and makes a note that is too large from one with `huge`.
 */
function notes(mended = false): Projection {
  const on = {
    NoteWritten: ({ stream, data }: RecordedEvent) => {
      const { id, workspaceId } = parseStream(stream);
      const { text } = data as { readonly text: string };
      if (text === 'torn' && !mended) throw new Error('It cannot be read.');
      return [
        step<Note>('notes', id, (note) => {
          if (text === 'bad' && !mended) throw new Error('It cannot be folded.');
          const ballast = text === 'huge' && !mended ? { ballast: 'ä'.repeat(3_200_000) } : {};
          return { id, workspaceId, words: (note?.words ?? 0) + 1, ...ballast };
        }),
      ];
    },
  };
  return projection({ name: 'notes', version: 1, collections: { notes: { indexes: [] } }, recordsOf: 'note', on });
}

const build = { projection: 'notes', generation: 'v1_0' };
let directory: string;
let store: EmbeddedReadStore;
let feed: ProjectionFeed;
let position: number;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'set-aside-'));
  store = new EmbeddedReadStore({ directory, patienceMs: 0 });
  position = 0;
  feed = await feedOf(notes());
  await store.activate(build, notes().collections);
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

async function feedOf(of: Projection, which = build): Promise<ProjectionFeed> {
  const made = new ProjectionFeed([{ projection: of, build: which }], which, {} as EventStore, store);
  await made.prepare();
  return made;
}

function written(id: string, text: string): RecordedEvent {
  const event = recorded('note', { type: 'NoteWritten', data: { text } }, position);
  position += 1;
  return { ...event, stream: streamOf('note', 'ws', id) };
}

const missing = () => feed.missing.get('notes');
const take = (...events: readonly RecordedEvent[]) => feed.apply(events, position - 1);
const shown = () => store.find<Note>('notes', { where: {} });
const wordsOf = async (): Promise<unknown> => (await shown()).map(({ id, words }) => [id, words]);

it('sets a record aside whose id is not well-formed Unicode, because stores would confuse it with another', async () => {
  await take(written('\ud800', 'good'), written('\ufffd', 'good'), written('\ud801', 'good'), written('b', 'good'));
  await take(written('\ud800', 'good'), written('\ufffd', 'good'));
  expect([missing(), await wordsOf()]).toEqual([
    2,
    [
      ['b', 1],
      ['\ufffd', 2],
    ],
  ]);
});

describe.each(['bad', 'torn', 'huge'])('an event that a read model cannot process (%s)', (trouble) => {
  it('sets its record aside: its document does not change, and all others are updated', async () => {
    await take(written('a', 'good'), written('b', 'good'), written('a', trouble), written('b', 'good'));
    await take(written('a', 'good'), written('b', 'good'));
    expect(await wordsOf()).toEqual([
      ['a', 1],
      ['b', 3],
    ]);
    expect([missing(), await store.checkpoint(build)]).toEqual([1, position - 1]);
  });

  it('is known after a restart, and after a batch that is repeated', async () => {
    const batch = [written('a', 'good'), written('a', trouble)];
    await take(...batch);
    feed = await feedOf(notes());
    await take(...batch);
    await take(written('a', 'good'), written('b', 'good'));
    expect([missing(), await wordsOf()]).toEqual([
      1,
      [
        ['a', 1],
        ['b', 1],
      ],
    ]);
  });

  it('is healed by a new build of a version that can process it', async () => {
    const log = [written('a', 'good'), written('a', trouble), written('a', 'good')];
    await take(...log);
    const next = { projection: 'notes', generation: 'v2_0' };
    feed = await feedOf(notes(true), next);
    await take(...log);
    await store.activate(next, notes().collections);
    expect([missing(), await wordsOf()]).toEqual([0, [['a', 3]]]);
  });

  it('is not remembered in a new build of the same name', async () => {
    await take(written('b', 'good'), written('a', 'good'), written('a', trouble));
    const other = { projection: 'notes', generation: 'v1_1' };
    feed = await feedOf(notes(), other);
    await take(written('a', trouble));
    expect(missing()).toBe(1);
    await store.discard(other, notes().collections);
    feed = await feedOf(notes(true), other);
    expect(missing()).toBe(0);
  });

  it('keeps a record missing that it would have created', async () => {
    await take(written('a', trouble), written('a', 'good'), written('b', 'good'));
    expect(await wordsOf()).toEqual([['b', 1]]);
  });

  it('is reported when the record is read, and lists show the former state', async () => {
    await take(written('a', 'good'), written('a', trouble), written('b', 'good'));
    const models = new ReadModels([]);
    const reads = new CurrentReadStore(store, new ReadYourWrites(new MadeUpClock(), models, {} as Environment), models);
    const refused = await reads.get('notes', 'a').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Refusal);
    expect(refused).toMatchObject({ code: 'record-set-aside', kind: 'unavailable' });
    expect(await reads.get('notes', 'b')).toEqual({ id: 'b', workspaceId: 'ws', words: 1 });
    expect(await reads.find('notes', { where: {} })).toEqual([
      { id: 'a', workspaceId: 'ws', words: 1 },
      { id: 'b', workspaceId: 'ws', words: 1 },
    ]);
  });
});
