import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Leases } from '../../../src/ports/leases.port.js';

export interface OpenedLeases {
  readonly leases: Leases;
  /** The same leases, in another process. */
  readonly elsewhere: Leases;
  close(): Promise<void>;
}

/** The promises of the port that every adapter keeps. */
export function leasesContract(name: string, open: () => Promise<OpenedLeases>): void {
  describe(`leases: ${name}`, () => {
    let opened: OpenedLeases;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    const both = async () => {
      await opened.leases.beat('a', {});
      await opened.elsewhere.beat('b', {});
    };

    it('gives a free lease to the first process that asks, and again to its holder', async () => {
      await both();
      expect(await opened.leases.acquire('work', 'a')).toBe(true);
      expect(await opened.elsewhere.acquire('work', 'b')).toBe(false);
      expect(await opened.leases.acquire('work', 'a')).toBe(true);
      expect(await opened.elsewhere.holders()).toEqual(new Map([['work', 'a']]));
    });

    it('gives a lease to only one of many that ask at once', async () => {
      await both();
      const asked = [opened.leases.acquire('work', 'a'), opened.elsewhere.acquire('work', 'b')];
      expect((await Promise.all(asked)).filter((got) => got)).toHaveLength(1);
    });

    it('gives a returned lease to the next, and lets no other process return it', async () => {
      await both();
      await opened.leases.acquire('work', 'a');
      await opened.elsewhere.release('work', 'b');
      expect(await opened.elsewhere.acquire('work', 'b')).toBe(false);
      await opened.leases.release('work', 'a');
      await opened.leases.release('work', 'a');
      expect(await opened.elsewhere.acquire('work', 'b')).toBe(true);
    });

    it('frees all leases of a process that leaves, and forgets the process', async () => {
      await both();
      await opened.leases.acquire('work', 'a');
      await opened.leases.acquire('play', 'a');
      await opened.leases.leave('a');
      await opened.leases.leave('a');
      expect((await opened.elsewhere.processes()).map((process) => process.name)).toEqual(['b']);
      expect(await opened.elsewhere.acquire('work', 'b')).toBe(true);
      expect(await opened.elsewhere.acquire('play', 'b')).toBe(true);
    });

    it('shows what each process last reported about itself', async () => {
      await both();
      await opened.leases.beat('a', { readModels: { functions: { position: 7 } } });
      const [a, b] = [...(await opened.elsewhere.processes())].sort((one, other) => one.name.localeCompare(other.name));
      expect([a, b]).toEqual([
        { name: 'a', note: { readModels: { functions: { position: 7 } } }, silent: false },
        { name: 'b', note: {}, silent: false },
      ]);
    });

    it('gives up no process whose heartbeat continues', async () => {
      await both();
      expect(await opened.elsewhere.giveUp('a')).toBe(false);
      expect(await opened.leases.beat('a', {})).toBe(true);
    });
  });
}
