import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection, IndexDescription, IndexDescriptionInfo } from 'mongodb';
import type { Watched } from '../../ports/read-store.port.js';
import type { MongoConnection } from './mongo-connection.js';
import { isDuplicate, isIndexConflict, isMissing, mongoErrorText } from './mongo-errors.js';

export type NamedIndex = IndexDescription & { readonly name: string };

/** As `Watched`, and how often it is told. */
export interface Watching extends Watched {
  readonly everyMs?: number;
}

const toldEveryMs = 10_000;
/** Between two looks, and before another try. */
const pauseMs = 1_000;
const leftText = 'The service is stopping; MongoDB goes on building its indexes.';
/** So often in a row MongoDB may be away, or break a build off, before this gives up. */
const triesInVain = 3;

/**
 * Has MongoDB make the indexes that are missing, and waits until they are built, however long that takes: it builds while
 * others read and write, and an unavailable member of the set does not delay it. An index is listed from the moment its
 * build begins, so those that are being built, by whomever, are waited for too. One with the same fields and options
 * under another name serves as well.
 */
export async function buildIndexes(
  connection: MongoConnection,
  collectionName: string,
  wanted: readonly NamedIndex[],
  { report: told, stopping, everyMs = toldEveryMs }: Watching = {},
): Promise<void> {
  const progress: Progress = { collectionName, began: performance.now(), missing: [], documents: 0 };
  const tell = () => {
    if (progress.missing.length > 0) told?.(sentenceOf(progress));
  };
  const ticking = setInterval(tell, everyMs);
  try {
    for (let inVain = 0; ; ) {
      if (stopping?.aborted || connection.closed) throw new Error(leftText);
      try {
        if (await stepped(connection, wanted, progress, stopping)) return;
        inVain = 0;
      } catch (error) {
        if (stopping?.aborted || connection.closed) throw new Error(leftText);
        inVain += 1;
        if (mongoErrorText(error) === undefined || inVain >= triesInVain) throw explained(error, progress);
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

/** Begins what nobody has begun, else waits a little. Answers whether all are made. */
async function stepped(
  connection: MongoConnection,
  wanted: readonly NamedIndex[],
  progress: Progress,
  stopping: AbortSignal | undefined,
): Promise<boolean> {
  const { collectionName } = progress;
  const { made, coming, documents } = await standing(connection.collection(collectionName));
  progress.documents = documents;
  progress.missing = wanted.filter((one) => !made.some((other) => serves(other, one)));
  if (progress.missing.length === 0) return true;
  const toBegin = progress.missing.filter((one) => !coming.some((other) => serves(other, one)));
  const begin = (collection: Collection) => collection.createIndexes([...toBegin], { commitQuorum: 'majority' });
  if (toBegin.length === 0) await pause(stopping);
  else if (documents === 0) await begin(connection.collection(collectionName));
  else await connection.patiently((database) => begin(database.collection(collectionName)), stopping);
  return false;
}

/** Ends early when it is stopped: the next step then says so. */
const pause = (stopping: AbortSignal | undefined) =>
  sleep(pauseMs, undefined, stopping && { signal: stopping }).catch(() => undefined);

interface Standing {
  readonly made: readonly IndexDescriptionInfo[];
  readonly coming: readonly IndexDescriptionInfo[];
  readonly documents: number;
}

/** What is being built is asked for before and after the list: a build may begin, or fail, in between. */
async function standing(collection: Collection): Promise<Standing> {
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
  // It is about this one server, so there is no state of a majority.
  const options = { readConcern: { level: 'local' } } as const;
  const [found] = await collection.aggregate<Stats>(stages, options).toArray().catch(nothingIfMissing);
  return { names: found?.storageStats?.indexBuilds ?? [], documents: Number(found?.storageStats?.count ?? 0) };
}

function nothingIfMissing(error: unknown): never[] {
  if (isMissing(error)) return [];
  throw error;
}

/** Those that this service has made have their meaning in their name; others are compared. */
function serves(there: IndexDescriptionInfo, wanted: NamedIndex): boolean {
  return there.name === wanted.name || meaning(there) === meaning(wanted);
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
  return `MongoDB has been building the index ${namesOf(missing)} ${over} for ${seconds} seconds; this is waited for.`;
}

function explained(error: unknown, { collectionName, missing }: Progress): unknown {
  if (isDuplicate(error)) {
    const unique = missing.filter((one) => one.unique === true);
    const text = `Two documents of ${collectionName} have the same values in a unique index, so it cannot be built`;
    return new Error(`${text}: ${namesOf(unique)}.`, { cause: error });
  }
  if (!isIndexConflict(error)) return error;
  const text = `${collectionName} has an index with the name or the fields of one of these, but with other options`;
  return new Error(`${text}: ${namesOf(missing)}. Drop that one, and try again.`, { cause: error });
}
