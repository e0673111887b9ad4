import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../src/kernel/json/json.js';
import { type Broadcast, BroadcastUnavailable, largestBroadcast } from '../../../src/ports/broadcast.port.js';
import { eventually } from '../../support/eventually.js';

export interface BroadcastScene {
  readonly here: Broadcast;
  /** The broadcast of another process. Undefined if the adapter works within one process only. */
  readonly elsewhere: Broadcast | undefined;
  close(): Promise<void>;
}

/** Collects what a process receives. */
export class Heard {
  readonly messages: JsonObject[] = [];
  lapses = 0;

  async on(broadcast: Broadcast): Promise<this> {
    await broadcast.listen({
      heard: (message) => void this.messages.push(message),
      lapsed: () => {
        this.lapses += 1;
      },
    });
    return this;
  }

  /** Waits for the message with this number. Returns all numbers so far. */
  async until(n: number): Promise<readonly unknown[]> {
    await eventually(
      async () => this.numbers,
      (numbers) => numbers.includes(n),
      20_000,
    );
    return this.numbers;
  }

  get numbers(): readonly unknown[] {
    return this.messages.map(({ n }) => n);
  }
}

/** @param open - opens the adapter as two processes would */
export function broadcastContract(name: string, open: () => Promise<BroadcastScene>): void {
  describe(`broadcast: ${name}`, () => {
    let scene: BroadcastScene;
    let all: readonly Broadcast[];
    beforeEach(async () => {
      scene = await open();
      all = [scene.here, ...(scene.elsewhere === undefined ? [] : [scene.elsewhere])];
      for (const one of all) one.belongTo('log_1');
    }, 60_000);
    afterEach(() => scene.close());
    const listening = () => Promise.all(all.map((one) => new Heard().on(one)));

    it("delivers each message once to every process, the publisher included, in the publisher's order", async () => {
      const heard = await listening();
      const numbers = Array.from({ length: 300 }, (_, n) => n);
      await Promise.all(numbers.map((n) => scene.here.publish({ n, text: 'ü😀', nested: { list: [1, null] } })));
      for (const one of heard) {
        expect(await one.until(299)).toEqual(numbers);
        expect(one.messages[0]).toEqual({ n: 0, text: 'ü😀', nested: { list: [1, null] } });
        expect(one.lapses).toBe(0);
      }
    }, 60_000);

    it('delivers the messages of two simultaneous publishers to all, each in its own order', async () => {
      const heard = await listening();
      await Promise.all(
        all.flatMap((one, from) => Array.from({ length: 100 }, (_, n) => one.publish({ n: n + 1_000 * from }))),
      );
      await Promise.all(all.map((one, from) => one.publish({ n: 100 + 1_000 * from })));
      for (const one of heard) {
        for (const from of all.keys()) {
          await one.until(100 + 1_000 * from);
          const ofOne = one.numbers.filter((n) => Math.floor(Number(n) / 1_000) === from);
          expect(ofOne).toEqual(Array.from({ length: 101 }, (_, n) => n + 1_000 * from));
        }
      }
    }, 60_000);

    it('does not deliver what was published before a process listens', async () => {
      await scene.here.publish({ n: 1 });
      const heard = await listening();
      await scene.here.publish({ n: 2 });
      for (const one of heard) expect(await one.until(2)).toEqual([2]);
    }, 60_000);

    it('lets a process publish without listening', async () => {
      const heard = await new Heard().on(scene.here);
      await (scene.elsewhere ?? scene.here).publish({ n: 1 });
      expect(await heard.until(1)).toEqual([1]);
    }, 60_000);

    it('accepts a message of the documented maximum size', async () => {
      const heard = await listening();
      const text = 'x'.repeat(largestBroadcast - 100);
      await scene.here.publish({ n: 1, text });
      for (const one of heard) {
        await one.until(1);
        expect(one.messages[0]).toEqual({ n: 1, text });
      }
    }, 60_000);

    it('can be checked while it listens, but not checked or used after it is closed', async () => {
      await listening();
      await scene.here.check();
      await scene.here.close();
      await expect(scene.here.check()).rejects.toThrow(BroadcastUnavailable);
      await expect(scene.here.publish({ n: 1 })).rejects.toThrow(BroadcastUnavailable);
    }, 60_000);
  });
}
