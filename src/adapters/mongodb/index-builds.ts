import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection, IndexDescription, IndexDescriptionInfo } from 'mongodb';
import type { Watched } from '../../ports/read-store.port.js';
import type { MongoConnection } from './mongo-connection.js';
import { isDuplicate, isIndexConflict, isMissingNamespace, mongoErrorText } from './mongo-errors.js';

export type NamedIndex = IndexDescription & { readonly name: string };

export interface IndexWatching extends Watched {
  readonly everyMs?: number;
}

const reportedEveryMs = 10_000;
const pauseMs = 1_000;
const leftText = 'The service is stopping; MongoDB continues to build its indexes.';
/**
 * Number of successive failures after which no further attempt is made. A failure means that MongoDB is unavailable or
 * has aborted a build.
 */
const mostFailures = 3;

/**
 * Waits until all indexes are ready, however long that takes, even if other processes are building them. Reads and
 * writes continue. An index with the same fields and options but another name is accepted. Rejects if the service is
 * stopping.
 */
export async function buildIndexes(
  connection: MongoConnection,
  collectionName: string,
  indexes: readonly NamedIndex[],
  { report, stopping, everyMs = reportedEveryMs }: IndexWatching = {},
): Promise<void> {
  const progress: Progress = { collectionName, began: performance.now(), missing: [], documents: 0 };
  const reportProgress = () => {
    if (progress.missing.length > 0) report?.(sentenceOf(progress));
  };
  const ticking = setInterval(reportProgress, everyMs);
  try {
    for (let failures = 0; ; ) {
      if (stopping?.aborted || connection.closed) throw new Error(leftText);
      try {
        if (await stepped(connection, indexes, progress, stopping)) return;
        failures = 0;
      } catch (error) {
        if (stopping?.aborted || connection.closed) throw new Error(leftText);
        failures += 1;
        if (mongoErrorText(error) === undefined || failures >= mostFailures) throw explained(error, progress);
        await pause(stopping);
      }
    }
  } finally {
    clearInterval(ticking);
  }
}

interface Progress {
  readonly collectionName: string;
  readonly began: number;
  missing: readonly NamedIndex[];
  documents: number;
}

async function stepped(
  connection: MongoConnection,
  indexes: readonly NamedIndex[],
  progress: Progress,
  stopping: AbortSignal | undefined,
): Promise<boolean> {
  const { collectionName } = progress;
  const { made, coming, documents } = await stateOf(connection.collection(collectionName));
  progress.documents = documents;
  progress.missing = indexes.filter((one) => !made.some((other) => isEquivalent(other, one)));
  if (progress.missing.length === 0) return true;
  const toBegin = progress.missing.filter((one) => !coming.some((other) => isEquivalent(other, one)));
  const begin = (collection: Collection) => collection.createIndexes([...toBegin], { commitQuorum: 'majority' });
  if (toBegin.length === 0) await pause(stopping);
  else if (documents === 0) await begin(connection.collection(collectionName));
  else await connection.patiently((database) => begin(database.collection(collectionName)), stopping);
  return false;
}

/** If the service stops, resolves early, and the loop in `buildIndexes` then throws. */
const pause = (stopping: AbortSignal | undefined) =>
  sleep(pauseMs, undefined, stopping && { signal: stopping }).catch(() => undefined);

interface IndexState {
  readonly made: readonly IndexDescriptionInfo[];
  readonly coming: readonly IndexDescriptionInfo[];
  readonly documents: number;
}

/**
 * Lists the running builds twice, before and after it lists the indexes, because a build can begin or fail in between.
 * An index counts as built only if neither list of builds contains it.
 */
async function stateOf(collection: Collection): Promise<IndexState> {
  const before = await building(collection);
  const listed = await collection.indexes().catch(nothingIfMissing);
  const after = await building(collection);
  const isComing = ({ name = '' }: IndexDescriptionInfo) => before.names.includes(name) || after.names.includes(name);
  const made = listed.filter((one) => !isComing(one));
  return { made, coming: listed.filter(isComing), documents: Math.max(before.documents, after.documents) };
}

interface Stats {
  readonly storageStats?: { readonly count?: number; readonly indexBuilds?: readonly string[] };
}

async function building(collection: Collection) {
  const stages = [{ $collStats: { storageStats: {} } }];
  // $collStats reports on one server only and does not support majority read concern.
  const options = { readConcern: { level: 'local' } } as const;
  const [found] = await collection.aggregate<Stats>(stages, options).toArray().catch(nothingIfMissing);
  return { names: found?.storageStats?.indexBuilds ?? [], documents: Number(found?.storageStats?.count ?? 0) };
}

function nothingIfMissing(error: unknown): never[] {
  if (isMissingNamespace(error)) return [];
  throw error;
}

/** An index of the same name is always equivalent. Others are compared by fields and options. */
function isEquivalent(there: IndexDescriptionInfo, index: NamedIndex): boolean {
  return there.name === index.name || meaning(there) === meaning(index);
}

function meaning(one: IndexDescription | IndexDescriptionInfo): string {
  const { unique = false, sparse = false, partialFilterExpression = null, expireAfterSeconds = null } = one;
  const key = one.key instanceof Map ? [...one.key] : Object.entries(one.key);
  return JSON.stringify([key, unique, sparse, partialFilterExpression, expireAfterSeconds]);
}

const namesOf = (indexes: readonly NamedIndex[]) => indexes.map(({ name }) => name).join(' and ');

function sentenceOf({ collectionName, began, missing, documents }: Progress): string {
  const seconds = Math.round((performance.now() - began) / 1_000);
  const over = `of ${collectionName} over ${documents} documents`;
  return `MongoDB has been building the index ${namesOf(missing)} ${over} for ${seconds} seconds; the service waits until it is ready.`;
}

function explained(error: unknown, { collectionName, missing }: Progress): unknown {
  if (isDuplicate(error)) {
    const unique = missing.filter((one) => one.unique === true);
    const text = `Two documents of ${collectionName} have the same values in the fields of a unique index, so it cannot be built`;
    return new Error(`${text}: ${namesOf(unique)}.`, { cause: error });
  }
  if (!isIndexConflict(error)) return error;
  const text = `${collectionName} already has an index with the same name or fields as one of these, but with other options`;
  return new Error(`${text}: ${namesOf(missing)}. Drop the existing index, and try again.`, { cause: error });
}
