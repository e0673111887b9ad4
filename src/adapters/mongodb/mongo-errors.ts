import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoSystemError,
  MongoTopologyClosedError,
} from 'mongodb';
import { wasFull } from './full-pools.js';

const sentences = {
  away: 'MongoDB does not answer; check that it runs and that MONGODB_URL leads to it, and try again',
  misnamed:
    'the servers of MONGODB_URL answer, but none of them belongs to the replica set that its option replicaSet names: ' +
    'run rs.status() there and use the name in its field set, or, if it reports that there is no ' +
    'replica set, start the servers with --replSet; then start again',
  crowded:
    'all connections to MongoDB that MONGODB_URL allows (maxPoolSize, by default 100) are in use; check how long its ' +
    'commands take, and try again',
  electing: 'MongoDB is electing another primary; wait a few seconds, and try again',
  slow: 'MongoDB did not finish in time; check its load and its secondaries, and try again',
  refused: 'MongoDB refused the user of MONGODB_URL; correct the user, the password or its rights, and start again',
  full: 'the disk of MongoDB is full; free some space there, and try again',
  unreadable:
    'a certificate file that MONGODB_URL names cannot be read; correct its path or its permissions, and start again',
  interrupted: 'MongoDB aborted the command; try again',
  closed: 'it is closed, because the service is stopping',
} as const;
type Trouble = keyof typeof sentences;

/** Code of every refusal by Atlas itself, from a wrong password to a full disk. */
const atlasCode = 8_000;
const temporaryLabels = ['TransientTransactionError', 'SystemOverloadedError'];

const codes: Readonly<Record<Trouble, readonly number[]>> = {
  away: [6, 7, 9001],
  misnamed: [],
  crowded: [],
  electing: [91, 133, 134, 189, 10058, 10107, 11600, 11602, 13435, 13436],
  slow: [50, 64, 89, 202, 262],
  refused: [13, 18, atlasCode],
  full: [14031],
  unreadable: [],
  // Conflicts, locks, overload, and changes of indexes or keys. The caller should retry.
  interrupted: [24, 43, 46, 63, 112, 175, 211, 225, 237, 244, 246, 251, 276, 290, 365, 391, 462, 11601],
  closed: [],
};
const byCode = new Map(
  Object.entries(codes).flatMap(([trouble, numbers]) => numbers.map((code) => [code, trouble as Trouble] as const)),
);

const duplicateKey = 11_000;
const maxTimeExpired = 50;
const missingNamespace = 26;
const namespaceExists = 48;
const missingIndex = 27;
/** An index of this name or these fields exists with other options. */
const indexConflicts: readonly (number | undefined)[] = [85, 86];
const abortedBuild = 276;
const writeConflict = 112;
/** Another transaction blocked the write: lock timeout, time limit, write conflict. */
const blockedCodes: readonly (number | undefined)[] = [24, 50, writeConflict];
/** The read's collection was dropped or created in the meantime. */
const goneCodes: readonly (number | undefined)[] = [missingNamespace, 43, 175, 237, 246];

export const isDuplicate = (error: unknown): boolean => codeOf(error) === duplicateKey;
export const isMissingNamespace = (error: unknown): boolean => codeOf(error) === missingNamespace;
export const isThere = (error: unknown): boolean => codeOf(error) === namespaceExists;
export const isIndexConflict = (error: unknown): boolean => indexConflicts.includes(codeOf(error));
/** Whether the index does not exist, for example because its build was aborted. */
export const isIndexGone = (error: unknown): boolean =>
  [missingNamespace, missingIndex, abortedBuild].includes(codeOf(error) ?? 0);
export const isBlocked = (error: unknown): boolean => blockedCodes.includes(codeOf(error));
/** Not all write conflicts have the label TransientTransactionError. */
export const isWriteConflict = (error: unknown): boolean => codeOf(error) === writeConflict;
export const isGone = (error: unknown): boolean => goneCodes.includes(codeOf(error));

export const hasTakenLonger = (error: unknown): boolean => codeOf(error) === maxTimeExpired;

/** Returns false if another writer inserted the same document first. Rethrows other errors. */
export function falseIfDuplicate(error: unknown): false {
  if (isDuplicate(error)) return false;
  throw error;
}

/**
 * Returns undefined if the error concerns the command itself. The text never contains the URL or a host, because
 * callers of the service see it.
 */
export function mongoErrorText(error: unknown): string | undefined {
  const trouble = troubleOf(error);
  return trouble && sentences[trouble];
}

function troubleOf(error: unknown): Trouble | undefined {
  if (!(error instanceof MongoError)) return troubleOfSystem(error);
  if (isClosed(error)) return 'closed';
  if (isPoolError(error) && 'address' in error && wasFull(error.address)) return 'crowded';
  if (isMisnamed(error)) return 'misnamed';
  if (error instanceof MongoNetworkError || error instanceof MongoSystemError || isPoolError(error)) return 'away';
  if (error.code === atlasCode && /space quota/i.test(error.message)) return 'full';
  // A bulk write's error has the code of its first refused write. This write can be a mere duplicate, so the codes of
  // the others are examined too.
  const refused = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  const known = [error, ...refused].map((one) => byCode.get(Number(one?.code))).find((one) => one !== undefined);
  if (known !== undefined) return known;
  // A bulk write's error also contains the error that ended the whole operation.
  const inner: unknown = error instanceof MongoBulkWriteError ? error.errorResponse : undefined;
  const ended = inner instanceof MongoError ? troubleOf(inner) : undefined;
  return ended ?? labelled(error);
}

/** Later MongoDB versions have unknown codes but known labels. */
function labelled(error: MongoError): Trouble | undefined {
  if (temporaryLabels.some((label) => error.hasErrorLabel(label))) return 'interrupted';
  return error.hasErrorLabel('RetryableWriteError') ? 'electing' : undefined;
}

/** System errors mean that the URL has an unknown host name, or names a file that cannot be read. */
function troubleOfSystem(error: unknown): Trouble | undefined {
  if (!(error instanceof Error && 'syscall' in error)) return undefined;
  const { syscall } = error;
  if (typeof syscall !== 'string') return undefined;
  if (/^(query|getaddrinfo)/.test(syscall)) return 'away';
  return /^(open|read)$/.test(syscall) ? 'unreadable' : undefined;
}

/**
 * Whether the replica set name in the URL differs from the servers' own. The driver removes servers of another set from
 * its list but still lists unavailable ones, so an empty list means a wrong name.
 */
function isMisnamed(error: MongoError): boolean {
  const { type, servers } = (error instanceof MongoServerSelectionError && error.reason) || {};
  return type === 'ReplicaSetNoPrimary' && servers?.size === 0;
}

function isClosed(error: MongoError): boolean {
  return (
    error instanceof MongoTopologyClosedError ||
    error instanceof MongoClientClosedError ||
    error instanceof MongoNotConnectedError
  );
}

/**
 * Reads `code` from any object, because the driver does not export the class of a single failed write in a bulk write.
 */
function codeOf(error: unknown): number | undefined {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error;
  return isCoded && typeof error.code === 'number' ? error.code : undefined;
}

/** Tests the name, because the driver does not export the error classes of its connection pool. */
function isPoolError(error: MongoError): boolean {
  return !(error instanceof MongoServerError) && /^Mongo(Pool|WaitQueue)/.test(error.name);
}
