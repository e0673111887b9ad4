import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Document } from '../../../src/kernel/record/projection.js';
import type { Query } from '../../../src/ports/read-store.port.js';
import { runs as runsOf } from '../../support/depth.js';
import { collections, type Fixture, filled, idsOf, put, thing, v1, v2 } from './read-store-fixture.js';
import { arbitraryAfter, arbitraryQuery, arbitraryThings, expectedOf, matches, valueAt } from './read-store-oracle.js';

/** The promises for random documents and queries. */
export function readStorePropertiesContract({ store }: Fixture): void {
  let runs = 0;

  /** Makes a new build for every example, because opening a store for each would take too long. */
  async function given(things: readonly Document[]): Promise<void> {
    const before = await store().active('catalogue');
    runs += 1;
    await filled(store(), things, { projection: 'catalogue', generation: `r${runs}` });
    if (before !== undefined) await store().discard({ projection: 'catalogue', generation: before }, collections);
  }

  describe('for any documents', () => {
    it('find and count equal filtering and sorting in memory', async () => {
      const query = fc.tuple(arbitraryQuery, fc.option(arbitraryAfter, { nil: undefined }));
      const example = fc.tuple(arbitraryThings, fc.array(query, { minLength: 1, maxLength: 6 }));
      await fc.assert(
        fc.asyncProperty(example, async ([things, queries]) => {
          await given(things);
          for (const [plain, after] of queries) {
            const { skip: _, ...unskipped } = plain;
            const asked: Query = after === undefined ? plain : { ...unskipped, after: after(plain) };
            expect(idsOf(await store().find('things', asked))).toEqual(idsOf(expectedOf(things, asked)));
            expect(await store().count('things', asked.where)).toBe(
              things.filter((one) => matches(one, asked.where)).length,
            );
          }
        }),
        { numRuns: runsOf(80) },
      );
    });

    it('all pages together contain every document once, in order', async () => {
      await fc.assert(
        fc.asyncProperty(
          arbitraryThings,
          arbitraryQuery,
          fc.integer({ min: 1, max: 4 }),
          async (things, { limit: _, skip: __, ...query }, size) => {
            await given(things);
            const pages: Document[] = [];
            for (let after: Query['after']; ; ) {
              const page = await store().find('things', { ...query, limit: size, ...(after && { after }) });
              pages.push(...page);
              const last = page.at(-1);
              if (last === undefined || pages.length > things.length) break;
              after = [...(query.sort ?? []).map(([field]) => valueAt(last, field)), last.id];
            }
            expect(idsOf(pages)).toEqual(idsOf(expectedOf(things, query)));
          },
        ),
        { numRuns: runsOf(80) },
      );
    });

    it('a document is returned as it was stored', async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryThings, async (things) => {
          await given(things);
          for (const one of things) expect(await store().get('things', one.id)).toEqual(one);
          expect(await store().find('things', { where: {}, sort: [['id', 'asc']] })).toEqual(
            expectedOf(things, { where: {} }),
          );
        }),
        { numRuns: runsOf(50) },
      );
    });
  });

  describe('a digest', () => {
    /** Fills two builds of the same projection with these documents, in different ways. Returns their digests. */
    async function digests(left: readonly Document[], right: readonly Document[]): Promise<readonly [string, string]> {
      for (const build of [v1, v2]) {
        await store().discard(build, collections);
        await store().prepare(build, collections);
      }
      await store().commit(
        v1,
        -1,
        1,
        left.map((one) => put(one)),
      );
      // Writes each document in its own commit, over a different former state and at other positions, which must not
      // affect the digest.
      for (const [index, one] of right.entries()) {
        const detour = [put(thing(one.id, { name: 'before' }), 2 * index), put(thing('passing'), 2 * index)];
        await store().commit(v2, 2 * index - 1, 2 * index + 1, [
          ...detour,
          put(one, 2 * index + 1),
          { kind: 'remove', collection: 'things', id: 'passing' },
        ]);
      }
      return [await store().digest(v1, collections), await store().digest(v2, collections)];
    }

    it('is the same for the same documents in any order of writing and of keys', async () => {
      const shuffled = arbitraryThings.chain((things) =>
        fc.tuple(fc.constant(things), fc.shuffledSubarray([...things], { minLength: things.length })),
      );
      await fc.assert(
        fc.asyncProperty(shuffled, async ([things, other]) => {
          const [left, right] = await digests(things, other.map(turnedRound));
          expect(left).toBe(right);
          expect(left).toMatch(/^[0-9a-f]{64}$/);
        }),
        { numRuns: runsOf(50) },
      );
    });

    it('differs for other documents', async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryThings, arbitraryThings, async (things, others) => {
          const [left, right] = await digests(things, others);
          const inOrder = (all: readonly Document[]) => expectedOf(all, { where: {} });
          expect(left === right).toBe(isDeepStrictEqual(inOrder(things), inOrder(others)));
        }),
        { numRuns: runsOf(50) },
      );
    });

    it('differs for a changed value, a missing key, a swapped list and another collection', async () => {
      const base = { ...thing('a', { name: 'x', size: 1 }), list: [1, 2] };
      const variants = [
        [{ ...base, size: 2 }],
        [{ ...base, size: '1' }],
        [{ ...base, size: null }],
        [{ ...base, list: [2, 1] }],
        [{ ...base, list: { 0: 1, 1: 2 } }],
        [{ ...base, id: 'b' }],
        [base, thing('b')],
        [],
      ];
      for (const variant of variants) {
        const [left, right] = await digests([base], variant as readonly Document[]);
        expect(left).not.toBe(right);
      }
      const [inThings] = await digests([base], []);
      await store().commit(v2, -1, 1, [put(base, 1, 'notes')]);
      expect(await store().digest(v2, collections)).not.toBe(inThings);
    });
  });
}

/** The same value with the keys of all objects in reverse order. */
function turnedRound<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, turnedRound(inner)]),
  ) as T;
}
