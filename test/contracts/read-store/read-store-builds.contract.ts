import { type Build, CheckpointMoved } from '../../../src/ports/read-store.port.js';
import {
  collections,
  type Fixture,
  filled,
  idsOf,
  put,
  remove,
  type Thing,
  thing,
  v1,
  v2,
} from './read-store-fixture.js';

/** Promises to the projection runner: builds, checkpoints and writes. */
export function readStoreBuildsContract({ store, reopen }: Fixture): void {
  describe('a build', () => {
    it('exists once it is prepared, starts at -1 and is not active', async () => {
      await store().prepare(v1, collections);
      expect(await store().builds('catalogue')).toEqual(['v1_0']);
      expect(await store().checkpoint(v1)).toBe(-1);
      expect(await store().active('catalogue')).toBeUndefined();
    });

    it('retains its documents and its checkpoint when it is prepared again', async () => {
      await filled(store(), [thing('a')]);
      await store().prepare(v1, collections);
      expect(await store().checkpoint(v1)).toBe(0);
      expect(await store().active('catalogue')).toBe('v1_0');
      expect(await store().get('things', 'a')).toEqual(thing('a'));
    });

    it('gets an index that was declared later', async () => {
      await filled(store(), [thing('a', { name: 'x' }), thing('b', { name: 'y' })]);
      await store().prepare(v1, { ...collections, things: { indexes: [{ fields: ['name'] }] } });
      expect(idsOf(await store().find('things', { where: { name: 'y' } }))).toEqual(['b']);
    });

    it('coexists with others, with documents and a checkpoint of its own', async () => {
      await filled(store(), [thing('a', { size: 1 })]);
      await store().prepare(v2, collections);
      await store().commit(v2, -1, 7, [put(thing('a', { size: 2 }), 7)]);
      expect([...(await store().builds('catalogue'))].sort()).toEqual(['v1_0', 'v2_0']);
      expect([await store().checkpoint(v1), await store().checkpoint(v2)]).toEqual([0, 7]);
      expect(await store().load(v1, 'things', ['a'])).toEqual(
        new Map([['a', { document: thing('a', { size: 1 }), position: 0 }]]),
      );
    });

    it('is read by queries from its activation on, instead of the previous one', async () => {
      await filled(store(), [thing('a'), thing('old')]);
      await store().prepare(v2, collections);
      await store().commit(v2, -1, 7, [put(thing('a', { size: 2 }), 7)]);
      expect(await store().get('things', 'a')).toEqual(thing('a'));
      await store().activate(v2, collections);
      expect(await store().active('catalogue')).toBe('v2_0');
      expect(await store().get('things', 'a')).toEqual(thing('a', { size: 2 }));
      expect(await store().get('things', 'old')).toBeUndefined();
      expect(idsOf(await store().find('things', { where: {} }))).toEqual(['a']);
      expect(await store().count('things', {})).toBe(1);
    });

    it('remains when another is activated, and can be activated again', async () => {
      await filled(store(), [thing('a')]);
      await filled(store(), [thing('b')], v2);
      expect((await store().load(v1, 'things', ['a'])).size).toBe(1);
      await store().activate(v1, collections);
      expect(idsOf(await store().find('things', { where: {} }))).toEqual(['a']);
    });

    it('is gone with its checkpoint after it is discarded, once or twice', async () => {
      await filled(store(), [thing('a')]);
      await filled(store(), [thing('b')], v2);
      await store().discard(v1, collections);
      await store().discard(v1, collections);
      expect(await store().builds('catalogue')).toEqual(['v2_0']);
      expect(await store().checkpoint(v1)).toBe(-1);
      expect(idsOf(await store().find('things', { where: {} }))).toEqual(['b']);
      await store().prepare(v1, collections);
      expect((await store().load(v1, 'things', ['a'])).size).toBe(0);
    });

    it('cannot be discarded while it is active', async () => {
      await filled(store(), [thing('a')]);
      await expect(store().discard(v1, collections)).rejects.toThrow();
      expect(await store().get('things', 'a')).toEqual(thing('a'));
      expect(await store().checkpoint(v1)).toBe(0);
    });

    it('may consist of a checkpoint only', async () => {
      const saga = { projection: 'saga: a sentence', generation: 'v1' };
      await store().commit(saga, -1, 3, []);
      expect(await store().checkpoint(saga)).toBe(3);
      expect(await store().builds(saga.projection)).toEqual(['v1']);
      expect(await store().builds('another')).toEqual([]);
      await store().discard(saga, {});
      expect(await store().builds(saga.projection)).toEqual([]);
    });

    it('is complete after the store was closed and reopened', async () => {
      await filled(store(), [thing('a', { size: 3 })]);
      await store().commit(v1, 0, 5, [put(thing('b'), 5)]);
      await reopen();
      expect(await store().active('catalogue')).toBe('v1_0');
      expect(await store().checkpoint(v1)).toBe(5);
      expect(await store().load(v1, 'things', ['b'])).toEqual(new Map([['b', { document: thing('b'), position: 5 }]]));
      expect(await store().get('things', 'a')).toEqual(thing('a', { size: 3 }));
      await expect(store().commit(v1, 0, 6, [])).rejects.toThrow(CheckpointMoved);
    });
  });

  describe('builds that share a checkpoint', () => {
    const notes: Build = { projection: 'notebook', generation: 'v1_0' };
    const noteRooms = { pages: { indexes: [] } };
    const next = (generation: string): Build => ({ projection: 'area:x', generation });
    const page = (id: string, position: number) => put(thing(id), position, 'pages');

    beforeEach(async () => {
      await filled(store(), [thing('a')]);
      await store().prepare(notes, noteRooms);
      await store().commit(notes, -1, 0, [page('p', 0)]);
      await store().activate(notes, noteRooms);
      await store().share(next('g1'), undefined, 0, [v1, notes]);
    });

    it('keep their position, under the name of the area and under their own', async () => {
      const members = new Map([
        ['catalogue', 'v1_0'],
        ['notebook', 'v1_0'],
      ]);
      expect(await store().shared('area:x')).toEqual({ generation: 'g1', checkpoint: 0, members });
      expect(await store().shared('area:y')).toBeUndefined();
      expect([await store().checkpoint(v1), await store().checkpoint(notes)]).toEqual([0, 0]);
    });

    it('are written in one commit, which advances all of them', async () => {
      await store().commit(next('g1'), 0, 5, [put(thing('b'), 4), page('q', 5)]);
      expect([await store().checkpoint(v1), await store().checkpoint(notes)]).toEqual([5, 5]);
      expect(idsOf(await store().find('things', { where: {} }))).toEqual(['a', 'b']);
      expect(idsOf(await store().find('pages', { where: {} }))).toEqual(['p', 'q']);
      await reopen();
      expect((await store().shared('area:x'))?.checkpoint).toBe(5);
      expect(await store().checkpoint(notes)).toBe(5);
    });

    it('cannot be written by a process with an earlier generation', async () => {
      await store().share(next('g2'), 'g1', 0, [v1, notes]);
      await expect(store().commit(next('g1'), 0, 5, [])).rejects.toThrow(CheckpointMoved);
      await store().commit(next('g2'), 0, 6, [page('q', 6)]);
      await expect(store().share(next('g3'), 'g1', 0, [v1])).rejects.toThrow(CheckpointMoved);
      await expect(store().share(next('g3'), 'g2', 5, [v1])).rejects.toThrow(CheckpointMoved);
      await expect(store().share(next('g3'), undefined, 6, [v1])).rejects.toThrow(CheckpointMoved);
      expect(await store().checkpoint(v1)).toBe(6);
    });

    it('can exchange one of them for a new build, and the others remain', async () => {
      await store().commit(next('g1'), 0, 5, [page('q', 5)]);
      await store().prepare(v2, collections);
      await store().commit(v2, -1, 5, [put(thing('new'), 5)]);
      expect(await store().checkpoint(v2)).toBe(5);
      await store().leave(v1);
      await store().activate(v2, collections);
      await store().share(next('g2'), 'g1', 5, [v2, notes]);
      await store().discard(v1, collections);
      await store().commit(next('g2'), 5, 7, [put(thing('newer'), 6), page('r', 7)]);
      expect(idsOf(await store().find('things', { where: {} }))).toEqual(['new', 'newer']);
      expect(idsOf(await store().find('pages', { where: {} }))).toEqual(['p', 'q', 'r']);
      expect([await store().checkpoint(v2), await store().checkpoint(notes)]).toEqual([7, 7]);
    });

    it('keep the shared position as their own checkpoint when they leave', async () => {
      await store().commit(next('g1'), 0, 5, []);
      await store().leave(v1);
      await store().leave(v1);
      await store().commit(next('g1'), 5, 8, [page('q', 8)]);
      expect([await store().checkpoint(v1), await store().checkpoint(notes)]).toEqual([5, 8]);
      await expect(store().commit(next('g1'), 8, 9, [put(thing('b'), 9)])).rejects.toThrow('was not prepared');
      await store().commit(v1, 5, 8, [put(thing('b'), 7)]);
      expect(await store().checkpoint(v1)).toBe(8);
    });

    it('take no part once they are discarded, also under the same name', async () => {
      await filled(store(), [thing('b')], v2);
      await store().discard(v1, collections);
      await store().prepare(v1, collections);
      expect(await store().checkpoint(v1)).toBe(-1);
      expect([...((await store().shared('area:x'))?.members.keys() ?? [])]).toEqual(['notebook']);
    });

    it('may be none, and members can join later', async () => {
      await store().share(next('g2'), 'g1', 0, []);
      expect((await store().shared('area:x'))?.members.size).toBe(0);
      await store().share(next('g3'), 'g2', 0, [notes]);
      expect((await store().shared('area:x'))?.members.size).toBe(1);
    });
  });

  describe('a commit', () => {
    beforeEach(() => filled(store(), [thing('a', { size: 1 })]));

    it('writes in the order given', async () => {
      await store().commit(v1, 0, 9, [
        put(thing('b', { size: 1 }), 7),
        put(thing('c', { size: 2 }), 7),
        { kind: 'removeWhere', collection: 'things', where: { size: 1 } },
        put(thing('a', { size: 1 }), 8),
        put(thing('d'), 8),
        remove('d'),
        put(thing('e'), 9, 'notes'),
      ]);
      expect(await store().load(v1, 'things', ['a', 'b', 'c', 'd'])).toEqual(
        new Map([
          ['a', { document: thing('a', { size: 1 }), position: 8 }],
          ['c', { document: thing('c', { size: 2 }), position: 7 }],
        ]),
      );
      expect(await store().get('notes', 'e')).toEqual(thing('e'));
      expect(await store().get('things', 'e')).toBeUndefined();
    });

    it('replaces a whole document and its position', async () => {
      await store().commit(v1, 0, 9, [put(thing('a', { name: 'x' }), 9)]);
      expect(await store().load(v1, 'things', ['a'])).toEqual(
        new Map([['a', { document: thing('a', { name: 'x' }), position: 9 }]]),
      );
      expect(await store().count('things', { size: 1 })).toBe(0);
    });

    it('advances the checkpoint even if there is nothing to write', async () => {
      await store().commit(v1, 0, 12, []);
      expect(await store().checkpoint(v1)).toBe(12);
    });

    it.each([[-1], [3]])('from %d with the checkpoint at 0 writes nothing', async (expected) => {
      const writes = [put(thing('a', { size: 2 }), 9), put(thing('b'), 9), remove('a')];
      await expect(store().commit(v1, expected, 9, writes)).rejects.toThrow(CheckpointMoved);
      expect(await store().checkpoint(v1)).toBe(0);
      expect(await store().find('things', { where: {} })).toEqual([thing('a', { size: 1 })]);
    });

    it('is refused to one of two writers at the same position', async () => {
      const outcomes = await Promise.allSettled([
        store().commit(v1, 0, 4, [put(thing('b', { name: 'same' }), 4)]),
        store().commit(v1, 0, 4, [put(thing('b', { name: 'same' }), 4)]),
      ]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await store().checkpoint(v1)).toBe(4);
    });

    it('is written after those that began before it, in their order', async () => {
      const begun = [1, 2, 3].map((at) => store().commit(v1, at - 1, at, [put(thing('b', { size: at }), at)]));
      await Promise.all(begun);
      expect(await store().checkpoint(v1)).toBe(3);
      expect(await store().get('things', 'b')).toEqual(thing('b', { size: 3 }));
    });

    it('is not written if one of those before it fails', async () => {
      const writes = [put(thing('b'), 1), put(thing('x'), 2, 'nowhere'), put(thing('c'), 3), put(thing('d'), 4)];
      const begun = writes.map((write, at) => store().commit(v1, at, at + 1, [write]));
      const outcomes = await Promise.allSettled(begun);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
      expect(await store().checkpoint(v1)).toBe(1);
      expect(idsOf(await store().find('things', { where: {} }))).toEqual(['a', 'b']);
      await store().commit(v1, 1, 2, [put(thing('c'), 2)]);
      expect(await store().checkpoint(v1)).toBe(2);
    });

    it('changes nothing if the same batch is written again', async () => {
      const batch = [
        put(thing('b', { size: 5 }), 4),
        remove('a'),
        put(thing('c', { size: 6 }), 5),
        { kind: 'removeWhere', collection: 'things', where: { size: { gte: 6 } } } as const,
        put(thing('d', { size: 7 }), 6),
      ];
      await store().commit(v1, 0, 6, batch);
      const digest = await store().digest(v1, collections);
      await expect(store().commit(v1, 0, 6, batch)).rejects.toThrow(CheckpointMoved);
      await store().commit(v1, 6, 6, batch);
      expect(await store().digest(v1, collections)).toBe(digest);
      expect(idsOf(await store().find('things', { where: {} }))).toEqual(['b', 'd']);
    });

    it('is refused if two documents share the values of a unique index, and does not advance the checkpoint', async () => {
      const build = { projection: 'names', generation: 'v1' };
      const named = { named: { indexes: [{ fields: ['workspaceId', 'name'], unique: true }] } };
      await store().prepare(build, named);
      await store().commit(build, -1, 1, [put(thing('a', { name: 'x' }), 1, 'named')]);
      await store().activate(build, named);
      await expect(store().commit(build, 1, 2, [put(thing('b', { name: 'x' }), 2, 'named')])).rejects.toThrow();
      expect(await store().checkpoint(build)).toBe(1);
      const free = [
        put(thing('c', { name: 'y' }), 2, 'named'),
        put({ ...thing('d', { name: 'x' }), workspaceId: 'w2' }, 2, 'named'),
      ];
      await store().commit(build, 1, 2, [...free, put(thing('a', { name: 'x' }), 2, 'named')]);
      expect(idsOf(await store().find('named', { where: {} }))).toEqual(['a', 'c', 'd']);
    });

    it('loads only existing documents, each once', async () => {
      expect(
        idsOf([...(await store().load(v1, 'things', ['z', 'a', 'a'])).values()].map((held) => held.document)),
      ).toEqual(['a']);
      expect((await store().load(v1, 'things', [])).size).toBe(0);
    });

    it('preserves every kind of JSON', async () => {
      const document = {
        ...thing('a\'"; DROP TABLE x --'),
        list: [1, [], { a: null }],
        text: 'é😀\n\u2028',
        n: -1.5e-7,
      } as Thing;
      await store().commit(v1, 0, 1, [put(document, 1)]);
      expect(await store().get('things', document.id)).toEqual(document);
    });
  });

  describe('the store', () => {
    it('reports that it can be read and written', async () => {
      await expect(store().check()).resolves.toBeUndefined();
    });
  });
}
