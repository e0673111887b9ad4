import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../test/support/depth.js';
import { recorded } from '../../../test/support/given/given.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import { parseStream, streamOf } from '../../kernel/event/stream-name.js';
import { type Document, projection, step } from '../../kernel/record/projection.js';
import type { EventStore } from '../../ports/event-store.port.js';
import {
  type Build,
  CheckpointMoved,
  type PositionedDocument,
  type ReadStore,
  type Write,
} from '../../ports/read-store.port.js';
import { ProjectionFeed } from './projection-feed.js';

interface Note extends Document {
  readonly texts: readonly string[];
}

const notes = projection({
  name: 'notes',
  version: 1,
  collections: { notes: { indexes: [] } },
  recordsOf: 'note',
  on: {
    NoteWritten: ({ stream, data }: RecordedEvent) => {
      const { id, workspaceId } = parseStream(stream);
      const { text } = data as { readonly text: string };
      return [step<Note>('notes', id, (note) => ({ id, workspaceId, texts: [...(note?.texts ?? []), text] }))];
    },
  },
});
const build: Build = { projection: 'notes', generation: 'v1_0' };

class HeldStore {
  readonly documents = new Map<string, PositionedDocument>();
  readonly held: { readonly checkpoint: number; end(fails: boolean): void }[] = [];
  decide: (() => boolean) | undefined;
  at = -1;

  async prepare(): Promise<void> {}
  async active(): Promise<undefined> {}
  flushSoon(): void {}
  async checkpoint(): Promise<number> {
    return this.at;
  }

  async load(_: Build, __: string, ids: readonly string[]): Promise<ReadonlyMap<string, PositionedDocument>> {
    return new Map(ids.flatMap((id) => this.entryOf(id)));
  }

  private entryOf(id: string): readonly [string, PositionedDocument][] {
    const found = this.documents.get(id);
    return found === undefined ? [] : [[id, found]];
  }

  async commit(_: Build, expected: number, checkpoint: number, writes: readonly Write[]): Promise<void> {
    const fails = await new Promise<boolean>((end) => {
      if (this.decide === undefined) this.held.push({ checkpoint, end });
      else end(this.decide());
    });
    await nextTurn();
    if (fails) throw new Error('The disk is full.');
    if (expected !== this.at) throw new CheckpointMoved();
    this.at = checkpoint;
    for (const write of writes) if (write.kind === 'put') this.documents.set(write.document.id, write);
  }

  texts(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries([...this.documents].map(([id, { document }]) => [id, (document as Note).texts]));
  }
}

function written(position: number, id: string): RecordedEvent {
  const event = recorded('note', { type: 'NoteWritten', data: { text: String(position) } }, position);
  return { ...event, stream: streamOf('note', 'ws', id) };
}

const unreadUpTo = 100_000;
let store: HeldStore;
let feed: ProjectionFeed;
beforeEach(async () => {
  store = new HeldStore();
  feed = await feedOf(store);
});

async function feedOf(of: HeldStore): Promise<ProjectionFeed> {
  const made = new ProjectionFeed(
    [{ projection: notes, build, unreadUpTo }],
    build,
    {} as EventStore,
    of as unknown as ReadStore,
  );
  await made.prepare();
  return made;
}

describe('a feed of a build that queries do not read yet', () => {
  it('computes two batches ahead of the one that is being written, and hands over two commits', async () => {
    await feed.apply([written(0, 'a')], 0);
    await feed.apply([written(1, 'a')], 1);
    let isComputed = false;
    const third = feed.apply([written(2, 'a')], 2).then(() => {
      isComputed = true;
    });
    await nextTurn();
    expect(store.held.map(({ checkpoint }) => checkpoint)).toEqual([0, 1]);
    expect(isComputed).toBe(false);
    store.held[0]?.end(false);
    await third;
    expect(store.held.map(({ checkpoint }) => checkpoint)).toEqual([0, 1, 2]);
    for (const { end } of store.held.slice(1)) end(false);
    await feed.stop();
    expect(store.texts()).toEqual({ a: ['0', '1', '2'] });
  });

  it('processes the events of both previous batches again if a write of theirs failed', async () => {
    await feed.apply([written(0, 'a')], 0);
    await feed.apply([written(1, 'a')], 1);
    store.held[0]?.end(true);
    let isRefused = false;
    const refused = feed.apply([written(2, 'b')], 2).catch(({ message }: Error) => {
      isRefused = true;
      return message;
    });
    await nextTurn();
    await nextTurn();
    expect(isRefused).toBe(false);
    store.held[1]?.end(false);
    expect(await refused).toBe('The disk is full.');
    store.decide = () => false;
    await feed.apply([written(2, 'b')], 2);
    await feed.stop();
    expect(store.texts()).toEqual({ a: ['0', '1'], b: ['2'] });
    expect(store.at).toBe(2);
  });

  it('leaves no gap if the write between two others fails', async () => {
    for (const position of [0, 1]) await feed.apply([written(position, 'a')], position);
    store.held[0]?.end(false);
    await feed.apply([written(2, 'a')], 2);
    for (const { checkpoint, end } of store.held.slice(1)) end(checkpoint === 1);
    await expect(feed.apply([written(3, 'a')], 3)).rejects.toThrow('The disk is full.');
    expect(store.at).toBe(0);
    store.decide = () => false;
    await feed.apply([written(3, 'a')], 3);
    await feed.stop();
    expect(store.texts()).toEqual({ a: ['0', '1', '2', '3'] });
  });

  it('waits until everything is written at the position up to which queries do not read it', async () => {
    let isDone = false;
    const last = feed.apply([written(unreadUpTo, 'a')], unreadUpTo).then(() => {
      isDone = true;
    });
    await nextTurn();
    expect(isDone).toBe(false);
    store.held[0]?.end(false);
    await last;
    expect(store.at).toBe(unreadUpTo);
  });

  it('stores its checkpoint when it is told to again after a failure', async () => {
    store.decide = () => true;
    await expect(feed.settle(5)).rejects.toThrow('The disk is full.');
    store.decide = () => false;
    await feed.settle(5);
    expect(store.at).toBe(5);
  });

  it('writes nothing after it was stopped', async () => {
    await feed.apply([written(0, 'a')], 0);
    let isStopped = false;
    const stopping = feed.stop().then(() => {
      isStopped = true;
    });
    await nextTurn();
    expect(isStopped).toBe(false);
    store.held[0]?.end(false);
    await stopping;
    expect(store.at).toBe(0);
  });

  it('loses and repeats no event, whichever writes fail', async () => {
    const ids = fc.constantFrom('a', 'b', 'c');
    const batches = fc.array(fc.array(ids, { maxLength: 4 }), { maxLength: 8 });
    const failures = fc.infiniteStream(fc.boolean());
    await fc.assert(
      fc.asyncProperty(batches, failures, async (all, fails) => {
        const failing = new HeldStore();
        failing.decide = () => fails.next().value;
        const fed = await feedOf(failing);
        const expected = new Map<string, string[]>();
        let position = 0;
        const repeated = async (events: readonly RecordedEvent[], upTo: number) => {
          while (
            !(await fed.apply(events, upTo).then(
              () => true,
              () => false,
            ))
          );
        };
        for (const batch of all) {
          const events = batch.map((id) => {
            expected.set(id, [...(expected.get(id) ?? []), String(position)]);
            return written(position++, id);
          });
          await repeated(events, position - 1);
        }
        await repeated([written(unreadUpTo, 'd')], unreadUpTo);
        expect(failing.texts()).toEqual({ ...Object.fromEntries(expected), d: [String(unreadUpTo)] });
        expect(failing.at).toBe(unreadUpTo);
      }),
      { numRuns: runs(300) },
    );
  });
});
