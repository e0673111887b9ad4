import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Consumer, type Message, type Messages, MessagesUnavailable } from '../../../src/ports/messages.port.js';
import { randomMoment } from '../../support/clocks/delays.js';
import { Handled, until } from './messages-scene.js';

export interface OpenedMessages {
  readonly messages: Messages;
  /** Longest time until a message that was rejected once is delivered again, in milliseconds. */
  readonly againWithinMs: number;
  /** Closes what the test left open and removes what was created for it. */
  close(): Promise<void>;
}

/** The promises of the port that every adapter keeps. Tests use new topics, because others may contain messages. */
export function messagesContract(name: string, open: () => Promise<OpenedMessages>): void {
  describe(`messages: ${name}`, () => {
    let opened: OpenedMessages;
    let messages: Messages;
    let topic: string;
    let handled: Handled;
    const unhandled: unknown[] = [];
    const remember = (reason: unknown) => void unhandled.push(reason);

    beforeEach(async () => {
      process.on('unhandledRejection', remember);
      opened = await open();
      messages = opened.messages;
      topic = `work-${randomUUID()}`;
      handled = new Handled();
    });
    afterEach(async () => {
      await opened.close();
      await setImmediate();
      process.off('unhandledRejection', remember);
      expect(unhandled.splice(0)).toEqual([]);
    });

    const message = (key: string, n: number, id: string = randomUUID()): Message => ({ id, key, value: { n } });
    const publish = (key: string, ...numbers: readonly number[]) =>
      Promise.all(numbers.map((n) => messages.publish(topic, message(key, n))));
    const consume = (concurrency: number, handle: Consumer['handle']) =>
      messages.consume({ topic, concurrency, handle: (one) => handled.watch(one, handle) });
    /** Waits until a message in another topic, published after all earlier ones, has been handled. */
    const elsewhere = async () => {
      const other = `elsewhere-${randomUUID()}`;
      let handled = false;
      const handle = async () => {
        handled = true;
      };
      const consumption = await messages.consume({ topic: other, concurrency: 1, handle });
      await messages.publish(other, message('a', 0));
      await until(() => handled, 'a message of another topic');
      await consumption.stop(1_000);
    };
    const numbers = (to: number) => Array.from({ length: to }, (_, n) => n);

    it('delivers messages unchanged', async () => {
      const one = { id: randomUUID(), key: 'ws_1/fn_1', value: { text: 'é\u0000"', deep: { list: [1, null, true] } } };
      const got: Message[] = [];
      await consume(4, async (given) => void got.push(given));
      await messages.publish(topic, one);
      await until(() => got.length > 0, 'the message');
      expect(got[0]).toEqual(one);
    });

    it('delivers messages that were published before there was a consumer', async () => {
      await publish('a', 0, 1, 2);
      await publish('b', 0);
      await consume(2, async () => undefined);
      await until(() => handled.done.length >= 4, 'what had waited');
      expect(handled.of('a')).toEqual([0, 1, 2]);
    });

    it('stops delivering when the consumption stops, and later continues with unfinished messages', async () => {
      const consumption = await consume(1, async ({ value }) => {
        if (value['n'] === 1) throw new Error('not now');
      });
      await publish('a', 0, 1, 2);
      await until(() => handled.begun.length >= 2, 'the one that is refused');
      await consumption.stop(1_000);
      const begun = handled.begun.length;
      await publish('a', 3);
      await elsewhere();
      expect(handled.begun).toHaveLength(begun);
      await consume(1, async () => undefined);
      await until(() => handled.of('a').includes(3), 'the rest', 30_000);
      expect(handled.of('a')).toEqual([0, 1, 2, 3]);
    }, 60_000);

    it('separates topics', async () => {
      await consume(1, async () => undefined);
      await messages.publish(`${topic}-other`, message('a', 7));
      await publish('a', 1, 2);
      await until(() => handled.done.length >= 2, 'the own topic');
      expect(handled.of('a')).toEqual([1, 2]);
    });

    it('allows one consumer per topic', async () => {
      await consume(1, async () => undefined);
      await expect(consume(1, async () => undefined)).rejects.toThrow('already has a consumer');
    });

    it('keeps the order of a key, one message at a time, with any number of keys and any duration', async () => {
      await consume(8, () => randomMoment(0, 4));
      const keys = numbers(12).map((n) => `key-${n}`);
      await Promise.all(keys.map((key) => publish(key, ...numbers(25))));
      await until(() => handled.done.length >= 12 * 25, 'all of them');
      for (const key of keys) expect(handled.of(key)).toEqual(numbers(25));
      expect(handled.mostOfOneKey).toBe(1);
    });

    it('handles different keys at once, up to the concurrency', async () => {
      const gate = Promise.withResolvers<void>();
      await consume(3, () => gate.promise);
      await Promise.all(numbers(10).map((n) => publish(`key-${n}`, 0)));
      await until(() => handled.now === 3, 'three in hand');
      await elsewhere();
      expect(handled.most).toBe(3);
      gate.resolve();
      await until(() => handled.done.length >= 10, 'the others');
      expect(handled.most).toBe(3);
    });

    it('redelivers a rejected message, before later ones of its key', async () => {
      let rejections = 0;
      await consume(4, async ({ value }) => {
        if (value['n'] === 1 && rejections++ < 1) throw new Error('not now');
      });
      await publish('a', 0, 1, 2, 3);
      await until(() => handled.done.length >= 4, 'all of them', opened.againWithinMs);
      expect(handled.of('a')).toEqual([0, 1, 2, 3]);
      expect(handled.begun.map(({ n }) => n)).toEqual([0, 1, 1, 2, 3]);
    });

    it('treats a handler that throws synchronously like one that rejects', async () => {
      let calls = 0;
      const handle = () => {
        if (calls++ === 0) throw new Error('at once');
        return Promise.resolve();
      };
      await messages.consume({ topic, concurrency: 1, handle });
      await publish('a', 0);
      await until(() => calls >= 2, 'the second attempt', opened.againWithinMs);
    });

    it('continues with other keys while one is rejected, even with a concurrency of 1', async () => {
      await consume(1, async ({ key }) => {
        if (key === 'bad') throw new Error('never');
      });
      await publish('bad', 0, 1);
      await publish('good', ...numbers(20));
      await until(() => handled.of('good').length >= 20, 'the other key');
      expect(handled.of('bad')).toEqual([]);
    });

    it('gives every key its turn, so a long queue does not delay a short one', async () => {
      const gate = Promise.withResolvers<void>();
      await consume(1, () => gate.promise);
      await publish('long', ...numbers(200));
      await publish('short', 0, 1);
      await until(() => handled.now === 1, 'the first in hand');
      // With a broker, the short queue must have arrived before the first message is released.
      await elsewhere();
      gate.resolve();
      await until(() => handled.of('short').length >= 2, 'the short queue');
      expect(handled.done.findLastIndex(({ key }) => key === 'short')).toBeLessThan(20);
    });

    it('handles other keys even if many messages of one wait, and all in their order', async () => {
      const gate = Promise.withResolvers<void>();
      const all = numbers(2_001).map((n) => message('busy', n));
      const isDone = ({ value }: Message) => handled.of('busy').includes(Number(value['n']));
      await messages.consume({
        topic,
        concurrency: 2,
        handle: (one) => handled.watch(one, () => (one.key === 'busy' ? gate.promise : Promise.resolve())),
        queued: async (key, known, limit) => {
          expect(known.length).toBeGreaterThan(0);
          return (key === 'busy' ? all : known).filter((one) => !isDone(one)).slice(0, limit);
        },
      });
      for (const one of all) void messages.publish(topic, one).catch(remember);
      // Enough keys that every partition has some of them behind the busy key.
      const others = numbers(60).map((n) => `other-${n}`);
      await Promise.all(others.map((key) => publish(key, 0)));
      await until(() => others.every((key) => handled.of(key).length === 1), 'the others', 60_000);
      expect(handled.of('busy')).toEqual([]);
      gate.resolve();
      await until(() => handled.of('busy').includes(2_000), 'the busy key', 120_000);
      expect(handled.of('busy')).toEqual(numbers(2_001));
    }, 240_000);

    it('counts unfinished messages', async () => {
      await consume(1, async () => undefined);
      await publish('a', 0, 1, 2);
      await until(() => handled.done.length >= 3 && messages.waiting(topic) === 0, 'nothing waiting');
      expect(messages.waiting('never-used')).toBe(0);
    });

    it('can be checked', async () => {
      await expect(messages.check()).resolves.toBeUndefined();
    });

    it('finishes messages in progress when it is closed, and begins no more', async () => {
      const gate = Promise.withResolvers<void>();
      await consume(1, () => gate.promise);
      await publish('a', 0, 1);
      await publish('b', 0);
      await until(() => handled.now === 1, 'one in hand');
      let isClosed = false;
      const closed = messages.close(10_000).then(() => {
        isClosed = true;
      });
      await setImmediate();
      expect([handled.done, isClosed]).toEqual([[], false]);
      gate.resolve();
      await closed;
      await setImmediate();
      expect([handled.done.length, handled.begun.length]).toEqual([1, 1]);
    });

    it('waits at a close no longer than the given time', async () => {
      await consume(1, () => new Promise(() => undefined));
      await publish('a', 0);
      await until(() => handled.now === 1, 'one in hand');
      const began = Date.now();
      await messages.close(200);
      expect(Date.now() - began).toBeLessThan(9_000);
    });

    it('does not wait for a message that pauses, nor begin it again after closing', async () => {
      await consume(2, () => Promise.reject(new Error('never')));
      await publish('a', 0);
      await until(() => handled.begun.length === 1 && handled.now === 0, 'the rejection');
      const began = Date.now();
      await messages.close(10_000);
      expect(Date.now() - began).toBeLessThan(9_000);
      // By the time a message rejected elsewhere is delivered again, this one would have been as well.
      const others = await open();
      let attempts = 0;
      const handle = async () => {
        attempts += 1;
        if (attempts < 2) throw new Error('not now');
      };
      await others.messages.consume({ topic: `${topic}-other`, concurrency: 1, handle });
      await others.messages.publish(`${topic}-other`, message('a', 0));
      await until(() => attempts >= 2, 'the second attempt', others.againWithinMs);
      await others.close();
      expect(handled.begun).toHaveLength(1);
    });

    it('may be closed twice, and accepts nothing afterwards', async () => {
      await consume(1, async () => undefined);
      await Promise.all([messages.close(500), messages.close(500)]);
      await messages.close(500);
      await expect(messages.publish(topic, message('a', 0))).rejects.toThrow(MessagesUnavailable);
      await expect(messages.consume({ topic: 'later', concurrency: 1, handle: async () => undefined })).rejects.toThrow(
        MessagesUnavailable,
      );
    });
  });
}
