import type { Document, Projection } from '../../../src/kernel/record/projection.js';
import type { Build, QueryLimitsByCaller, ReadStore, Write } from '../../../src/ports/read-store.port.js';

export interface OpenedStore {
  readonly store: ReadStore;
  /** Closes the store and opens a new one on its data. */
  reopen(): Promise<ReadStore>;
  close(): Promise<void>;
}
export interface OpenOptions {
  /** By default those of the port. */
  readonly limits?: QueryLimitsByCaller;
  /** Makes queries over many rows take longer than a few milliseconds, on the stand-in as well. */
  readonly slow?: true;
}
export type OpenStore = (options?: OpenOptions) => Promise<OpenedStore>;

export interface Fixture {
  store(): ReadStore;
  reopen(): Promise<void>;
}

/** Opens an empty store for every test. */
export function useStore(open: OpenStore): Fixture {
  let opened: OpenedStore | undefined;
  let store: ReadStore | undefined;
  beforeEach(async () => {
    opened = await open();
    store = opened.store;
  });
  afterEach(() => opened?.close());
  return {
    store() {
      if (store === undefined) throw new Error('No store is open.');
      return store;
    },
    async reopen() {
      store = await opened?.reopen();
    },
  };
}

export interface Thing extends Document {
  readonly name?: string | null;
  readonly size?: number | null;
  readonly open?: boolean | null;
  readonly owner?: { readonly name?: string | null };
}

export const collections: Projection['collections'] = {
  things: { indexes: [{ fields: ['workspaceId', 'size'] }, { fields: ['open'] }, { fields: ['owner.name'] }] },
  notes: { indexes: [] },
};

export const v1: Build = { projection: 'catalogue', generation: 'v1_0' };
export const v2: Build = { projection: 'catalogue', generation: 'v2_0' };

export const thing = (id: string, more: Partial<Thing> = {}): Thing => ({ id, workspaceId: 'w1', ...more });

export function put(document: Document, position = 0, collection = 'things'): Write {
  return { kind: 'put', collection, document, position };
}

export const remove = (id: string): Write => ({ kind: 'remove', collection: 'things', id });

/** Stores these documents in a build and makes it active. */
export async function filled(store: ReadStore, things: readonly Document[], build = v1): Promise<void> {
  await store.prepare(build, collections);
  const from = await store.checkpoint(build);
  await store.commit(
    build,
    from,
    from + 1,
    things.map((one) => put(one)),
  );
  await store.activate(build, collections);
}

export const idsOf = (documents: readonly Document[]): readonly string[] => documents.map(({ id }) => id);
