import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { EmbeddedDirectory } from '../../../test/contracts/embedded-directory.js';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { storeRetryOf } from '../../../test/support/given/store-retry.js';
import { InProcessMessages } from '../../adapters/messages/in-process/in-process-messages.adapter.js';
import { EmbeddedReadStore } from '../../adapters/read-store/embedded/embedded-read-store.adapter.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { JsonObject } from '../../kernel/json/json.js';
import type { Document } from '../../kernel/record/projection.js';
import type { Message } from '../../ports/messages.port.js';
import { type DueWork, dueJob } from './due-job.js';
import { JobConsumer } from './job-consumer.js';

interface Letter extends Document {
  readonly senderId: string;
  readonly status: 'accepted' | 'delayed' | 'kept';
  readonly attempts: number;
  readonly dueAt: string | null;
}

interface LetterMessage extends JsonObject {
  readonly letterId: string;
}

function messageOf({ workspaceId, senderId, id: letterId, attempts }: Letter): Message {
  return { id: `${letterId}/${attempts}`, key: `${workspaceId}/${senderId}`, value: { letterId } };
}

const letterJob = dueJob<DomainEvent<'LetterAccepted', { readonly senderId: string }>>()<
  Letter,
  LetterMessage,
  'dueAt'
>({
  topic: 'letters',
  concurrency: 2,
  accepted: {
    saga: 'accepted-letters-are-sent',
    category: 'letter',
    reads: ['LetterAccepted'],
    message: () => undefined,
  },
  collection: 'letters',
  due: 'dueAt',
  everyMs: 2_000,
  lateAfterMs: 1_000,
  ofKey: (key) => {
    const [workspaceId = '', senderId = ''] = key.split('/');
    return { workspaceId, senderId, status: { in: ['accepted', 'delayed'] } };
  },
  message: (letter) => (letter.status === 'kept' ? undefined : messageOf(letter)),
});

class Post implements DueWork<Letter, LetterMessage> {
  readonly said: string[] = [];
  settled: readonly string[] = [];
  failing: readonly string[] = [];

  async attempt({ letterId }: LetterMessage): Promise<void> {
    this.said.push(letterId);
  }

  async settles({ id }: Letter): Promise<boolean> {
    if (this.failing.includes(id)) throw new Error('It cannot be settled.');
    return this.settled.includes(id);
  }
}

Logger.overrideLogger(false);

const build = { projection: 'letters', generation: 'v1_0' };
let directory: EmbeddedDirectory;
let store: EmbeddedReadStore;
let clock: MadeUpClock;
let post: Post;
beforeEach(async () => {
  directory = new EmbeddedDirectory();
  store = new EmbeddedReadStore({ directory: directory.path, patienceMs: 0 });
  const collections = { letters: { indexes: [{ fields: ['dueAt'] }] } };
  await store.prepare(build, collections);
  await store.activate(build, collections);
  [clock, post] = [new MadeUpClock(), new Post()];
});
afterEach(async () => {
  await store.close();
  directory.remove();
});

function letter(id: string, dueInMs: number, more: Partial<Letter> = {}): Letter {
  const dueAt = new Date(clock.now() + dueInMs).toISOString();
  return { id, workspaceId: 'ws_1', senderId: 'proj_1', status: 'accepted', attempts: 0, dueAt, ...more };
}

async function hold(...letters: readonly Letter[]): Promise<void> {
  const writes = letters.map((document) => ({ kind: 'put', collection: 'letters', document, position: 1 }) as const);
  await store.commit(build, -1, 1, writes);
}

const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
};

function consumer(durable: boolean) {
  const messages = Object.assign(new InProcessMessages(clock), { durable });
  const queue = letterJob.queue({ store, messages, clock } as never, post);
  return new JobConsumer({ messages, storeRetry: storeRetryOf(clock) }, queue, 'letters', 2);
}

describe('due work', () => {
  it('is handed over by a process that had its messages in memory only, and again periodically', async () => {
    const letters = [letter('a', -10), letter('b', 3_000), letter('kept', -10, { status: 'kept' }), letter('old', -10)];
    post.settled = ['old'];
    await hold(...letters);
    const consuming = consumer(false);
    await consuming.start();
    await settled();
    expect(post.said).toEqual(['a']);
    // The letter b becomes due after three seconds, and is handed over once it has been due for a second.
    for (const said of [
      ['a', 'a'],
      ['a', 'a', 'a', 'b'],
    ]) {
      clock.advance(2_000);
      await settled();
      expect(post.said.toSorted()).toEqual(said);
    }
    await consuming.stop();
    clock.advance(10_000);
    await settled();
    expect(post.said).toHaveLength(4);
  });

  it('is handed over even if settling one item fails', async () => {
    post.failing = ['a'];
    await hold(letter('a', -20), letter('b', -10));
    const consuming = consumer(false);
    await consuming.start();
    await settled();
    expect(post.said).toEqual(['a', 'b']);
    await consuming.stop();
  });

  it('is first left to its messages if those survive the process', async () => {
    await hold(letter('a', -10_000));
    const consuming = consumer(true);
    await consuming.start();
    await settled();
    expect(post.said).toEqual([]);
    clock.advance(2_000);
    await settled();
    expect(post.said).toEqual(['a']);
    await consuming.stop();
  });

  it('is not searched for after a stop, even one during a search', async () => {
    await hold(letter('a', -10_000));
    const consuming = consumer(true);
    await consuming.start();
    clock.advance(2_000);
    await consuming.stop();
    clock.advance(10_000);
    await settled();
    expect(post.said).toEqual([]);
  });

  it('of a key is searched for the earliest first', async () => {
    await hold(
      letter('a', -10),
      letter('b', -30, { status: 'delayed', attempts: 2 }),
      letter('c', -20, { status: 'kept' }),
      letter('d', 1_000),
      letter('e', -40, { senderId: 'proj_2' }),
      letter('f', -40, { workspaceId: 'ws_2' }),
    );
    const queue = letterJob.queue({ store, clock } as never, post);
    const next = async (limit: number) => (await queue.next?.('ws_1/proj_1', [], limit))?.map(({ id }) => id);
    expect(await next(50)).toEqual(['b/2', 'a/0']);
    expect(await next(1)).toEqual(['b/2']);
  });
});
