import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Packages, PackagesUnresolvable, RegistryUnavailable } from '../../../src/ports/network/packages.port.js';
import { eventually } from '../../support/eventually.js';
import { type RegistryForTests, startRegistry } from '../../support/servers/npm-registry.js';
import { packed } from '../../support/servers/tar-archives.js';

export interface SmallLimits {
  readonly timeMs?: number;
  readonly mostPackages?: number;
  readonly mostBytes?: number;
  readonly mostUnpackedBytes?: number;
  readonly mostFiles?: number;
}

/**
 * The promises of every `Packages` adapter.
 * @param open - creates an adapter that asks this registry
 */
export function packagesContract(name: string, open: (registry: string, limits?: SmallLimits) => Packages): void {
  describe(`${name} as packages`, () => {
    let registry: RegistryForTests;
    let packages: Packages;
    let stored: Map<string, Uint8Array>;
    beforeAll(async () => {
      registry = await startRegistry();
      registry.publish('leaf', '1.0.0');
      registry.publish('leaf', '2.0.0');
      registry.publish('tea', '1.0.0', { dependencies: { leaf: '^1.0.0' } });
      registry.publish('cup', '1.0.0', { dependencies: { leaf: '^1.0.0' } });
      registry.publish('ring', '1.0.0', { dependencies: { loop: '1.0.0' } });
      registry.publish('loop', '1.0.0', { dependencies: { ring: '1.0.0' } });
    });
    afterAll(() => registry.close());
    beforeEach(() => {
      registry.status = 0;
      registry.trickles = undefined;
      packages = open(registry.url);
      stored = new Map();
    });
    afterEach(() => packages.close());

    const fetch = (dependencies: Record<string, string>, { from = packages, workspaceId = 'w1' } = {}) =>
      from.fetch({
        workspaceId,
        dependencies,
        store: async (integrity, archive) => {
          if (stored.has(integrity)) throw new Error(`${integrity} is stored twice.`);
          stored.set(integrity, archive);
        },
      });
    const refused = (dependencies: Record<string, string>, limits?: SmallLimits) =>
      fetch(dependencies, limits === undefined ? {} : { from: open(registry.url, limits) }).then(
        () => 'fetched',
        (error: unknown) => (error instanceof PackagesUnresolvable ? error.message : `another: ${error}`),
      );

    it('returns every package with its path, and stores every archive under its integrity', async () => {
      const found = await fetch({ tea: '1.x', leaf: '2.0.0' });
      expect(found.map(({ path, name, version }) => [path, name, version])).toEqual([
        ['node_modules/leaf', 'leaf', '2.0.0'],
        ['node_modules/tea', 'tea', '1.0.0'],
        ['node_modules/tea/node_modules/leaf', 'leaf', '1.0.0'],
      ]);
      expect([...stored.keys()].sort()).toEqual(found.map(({ integrity }) => integrity).sort());
      for (const [integrity, archive] of stored) {
        expect(`sha512-${createHash('sha512').update(archive).digest('base64')}`).toBe(integrity);
      }
    });

    it('stores an archive once that is at two paths', async () => {
      const found = await fetch({ tea: '1.0.0', cup: '1.0.0', leaf: '2.0.0' });
      expect(found.filter(({ name, version }) => name === 'leaf' && version === '1.0.0')).toHaveLength(2);
      expect(stored.size).toBe(found.length - 1);
    });

    it('returns the same for the same set', async () => {
      const once = await fetch({ tea: '1.0.0', cup: '1.0.0' });
      stored.clear();
      expect(await fetch({ cup: '1.0.0', tea: '1.0.0' })).toEqual(once);
    });

    it('handles packages that depend on one another', async () => {
      expect((await fetch({ ring: 'latest' })).map(({ name }) => name).sort()).toEqual(['loop', 'ring']);
    });

    it.each([
      ['is not there', { nobody: '1.0.0' }],
      ['has no such version', { leaf: '9.0.0' }],
      ['has no such tag', { leaf: 'next' }],
    ])('refuses a package that %s', async (_, dependencies) => {
      expect(await refused(dependencies)).toMatch(/^(?!another)/);
      expect(stored.size).toBe(0);
    });

    it.each([
      ['an address', 'http://127.0.0.1:1/tea.tgz', 'EALLOWREMOTE'],
      ['a git repository', 'git+https://127.0.0.1:1/tea.git', 'EALLOWGIT'],
    ])('refuses a package that needs %s', async (what, source, sentence) => {
      const far = `far-${what.replace(/\W/g, '')}`;
      registry.publish(far, '1.0.0', { dependencies: { tea: source } });
      expect(await refused({ [far]: '1.0.0' })).toContain(sentence);
      expect(stored.size).toBe(0);
    });

    it("refuses an archive that does not match the registry's integrity", async () => {
      registry.publish('liar', '1.0.0', { wrongIntegrity: true });
      expect(await refused({ liar: '1.0.0', leaf: '1.0.0' })).toBe(
        'the archive of liar 1.0.0 does not match its integrity in the registry',
      );
      expect(stored.size).toBe(0);
    });

    it.each([
      ['a symbolic link', { path: 'package/out', type: '2', linkTo: '/etc/passwd' }, /link or a device/],
      ['a hard link', { path: 'package/out', type: '1', linkTo: '../../etc/passwd' }, /link or a device/],
      ['a device', { path: 'package/null', type: '3' }, /link or a device/],
      ['an absolute path', { path: '/etc/cron.d/out' }, /leads out of it/],
      ['a path that goes up', { path: 'package/../../out' }, /leads out of it/],
      ["a path that goes up in Windows' way", { path: 'package\\..\\..\\out' }, /leads out of it/],
    ])('refuses an archive with %s', async (what, entry, why) => {
      const bad = `bad-${what.replace(/\W/g, '')}`;
      registry.publish(bad, '1.0.0', { entries: [entry] });
      expect(await refused({ [bad]: '1.0.0' })).toMatch(why);
      expect(stored.size).toBe(0);
    });

    it('refuses a file that is no archive', async () => {
      registry.publish('noise', '1.0.0', { archive: Buffer.from('This is no archive. '.repeat(100)) });
      expect(await refused({ noise: '1.0.0' })).toContain('noise 1.0.0 has an archive that cannot be read');
    });

    it('refuses a decompression bomb', async () => {
      const content = Buffer.alloc(50_000_000);
      registry.publish('bomb', '1.0.0', { archive: packed([{ path: 'package/a', content }]) });
      expect(await refused({ bomb: '1.0.0' }, { mostUnpackedBytes: 10_000_000 })).toBe(
        'they unpack to more than 10000000 bytes',
      );
      expect(stored.size).toBe(0);
    });

    it('refuses archives that are too large together, and too many files', async () => {
      expect(await refused({ tea: '1.0.0', leaf: '2.0.0' }, { mostBytes: 300 })).toMatch(/more than 300 bytes/);
      expect(await refused({ tea: '1.0.0', leaf: '2.0.0' }, { mostFiles: 2 })).toMatch(/more than 2 files/);
    });

    it('refuses a set of 10,000 packages before it fetches any of them', async () => {
      const names = Array.from({ length: 10_000 }, (_, n) => `w${n}`);
      for (const one of names) registry.publish(one, '1.0.0');
      registry.publish('wide', '1.0.0', { dependencies: Object.fromEntries(names.map((one) => [one, '1.0.0'])) });
      const before = registry.asked.length;
      expect(await refused({ wide: '1.0.0' })).toBe('they need more than 1000 packages');
      expect(registry.asked.slice(before).filter((path) => path.includes('/-/'))).toEqual([]);
    }, 120_000);

    it('refuses a set that grows from few packages in many versions', async () => {
      for (let n = 0; n < 300; n += 1) {
        registry.publish('deep', `${n}.0.0`, { dependencies: { deep: `${n + 1}.0.0`, leaf: `${(n % 2) + 1}.0.0` } });
      }
      registry.publish('deep', '300.0.0');
      expect(await refused({ deep: '0.0.0' }, { mostPackages: 100 })).toBe('they need more than 100 packages');
    }, 120_000);

    it.each([500, 502, 503])(
      'reports that the registry is away if it answers %s',
      async (status) => {
        registry.status = status;
        await expect(fetch({ leaf: '1.0.0' })).rejects.toThrow(RegistryUnavailable);
        expect(stored.size).toBe(0);
      },
      60_000,
    );

    it('reports that the registry is away if nothing listens', async () => {
      const gone = await startRegistry();
      await gone.close();
      await expect(fetch({ leaf: '1.0.0' }, { from: open(gone.url) })).rejects.toThrow(RegistryUnavailable);
    }, 60_000);

    it('gives up a registry that is too slow, and sends it no more requests', async () => {
      registry.trickles = /./;
      await expect(fetch({ leaf: '1.0.0' }, { from: open(registry.url, { timeMs: 5_000 }) })).rejects.toThrow(
        new RegistryUnavailable('the registry took longer than 5 seconds'),
      );
      await eventually(registry.connections, (count) => count === 0);
      registry.trickles = undefined;
      expect(await fetch({ leaf: '1.0.0' })).toHaveLength(1);
    }, 60_000);

    it('aborts fetches in progress when it is closed', async () => {
      registry.trickles = /./;
      const ended = fetch({ leaf: '1.0.0' }).catch((error: unknown) => error);
      await eventually(registry.connections, (count) => count === 1);
      await packages.close();
      expect(await ended).toBeInstanceOf(RegistryUnavailable);
    }, 60_000);

    it('fetches one set at a time for a workspace, and lets one wait', async () => {
      registry.trickles = /./;
      const both = [1, 2].map(() => fetch({ leaf: '1.0.0' }).catch(() => 'ended'));
      await expect(fetch({ leaf: '1.0.0' })).rejects.toThrow(RegistryUnavailable);
      await packages.close();
      expect(await Promise.all(both)).toEqual(['ended', 'ended']);
    }, 60_000);

    it('lets workspaces take turns', async () => {
      registry.publish('solo', '1.0.0');
      registry.trickles = /leaf/;
      const slow = open(registry.url, { timeMs: 3_000 });
      const of = (workspaceId: string, dependencies: Record<string, string>) =>
        fetch(dependencies, { from: slow, workspaceId }).catch(() => undefined);
      const two = ['w1', 'w2', 'w1', 'w2'].map((workspaceId) => of(workspaceId, { leaf: '1.0.0' }));
      expect(await of('w3', { solo: '1.0.0' })).toHaveLength(1);
      await slow.close();
      await Promise.all(two);
    }, 60_000);

    it('passes on why an archive cannot be stored', async () => {
      const store = async () => {
        throw new Error('The disk is full.');
      };
      await expect(packages.fetch({ workspaceId: 'w1', dependencies: { leaf: '1.0.0' }, store })).rejects.toThrow(
        'The disk is full.',
      );
    });
  });
}
