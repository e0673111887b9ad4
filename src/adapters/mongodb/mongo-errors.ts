import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoSystemError,
  MongoTopologyClosedError,
} from 'mongodb';

const sentences = {
  away: 'MongoDB does not answer; check that it runs and that MONGODB_URL leads to it, and try again',
  electing: 'MongoDB is choosing another primary; wait some seconds, and try again',
  slow: 'MongoDB did not finish in time; look at its load and at its secondaries, and try again',
  refused: 'MongoDB refused the user of MONGODB_URL; correct the user, the password or its rights, and start again',
  full: 'the disk of MongoDB is full; free some room there, and try again',
  interrupted: 'MongoDB broke the command off; try again',
  closed: 'it is closed, because the service is stopping',
} as const;
type Trouble = keyof typeof sentences;

const codes: Readonly<Record<Trouble, readonly number[]>> = {
  away: [6, 7, 9001],
  electing: [91, 133, 134, 189, 10058, 10107, 11600, 11602, 13435, 13436],
  slow: [50, 64, 89, 202, 262],
  refused: [13, 18, 8000],
  full: [14031],
  interrupted: [43, 175, 237, 246, 11601],
  closed: [],
};
const byCode = new Map(
  Object.entries(codes).flatMap(([trouble, numbers]) => numbers.map((code) => [code, trouble as Trouble] as const)),
);

/** Another document has this _id, or these values of a unique index. */
const duplicateKey = 11_000;
const missingNamespace = 26;
/** Errors of a read whose collection is dropped or created meanwhile: no cursor, a killed plan, no snapshot. */
const goneCodes: readonly (number | undefined)[] = [missingNamespace, 43, 175, 237, 246];

export const isDuplicate = (error: unknown): boolean => codeOf(error) === duplicateKey;
export const isMissing = (error: unknown): boolean => codeOf(error) === missingNamespace;
export const isGone = (error: unknown): boolean => goneCodes.includes(codeOf(error));

/**
 * What is wrong with MongoDB or its connection and what to do next; undefined for an error that is about the
 * command itself. Never holds the URL or a host: callers see this sentence.
 */
export function mongoErrorText(error: unknown): string | undefined {
  const trouble = troubleOf(error);
  return trouble && sentences[trouble];
}

function troubleOf(error: unknown): Trouble | undefined {
  if (!(error instanceof MongoError)) return undefined;
  if (isClosed(error)) return 'closed';
  // Network errors, a full pool that is waited for in vain, and no server to be found.
  if (error instanceof MongoNetworkError || error instanceof MongoSystemError || isPoolError(error)) return 'away';
  const known = byCode.get(Number(error.code));
  if (known !== undefined) return known;
  // A bulk write wraps what ended it.
  const inner: unknown = error instanceof MongoBulkWriteError ? error.errorResponse : undefined;
  const ended = inner instanceof MongoError ? troubleOf(inner) : undefined;
  return ended ?? (error.hasErrorLabel('RetryableWriteError') ? 'electing' : undefined);
}

function isClosed(error: MongoError): boolean {
  return (
    error instanceof MongoTopologyClosedError ||
    error instanceof MongoClientClosedError ||
    error instanceof MongoNotConnectedError
  );
}

/** By shape: the driver does not export the class of a single refused write of many. */
function codeOf(error: unknown): number | undefined {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error;
  return isCoded && typeof error.code === 'number' ? error.code : undefined;
}

/** The classes of the connection pool are not exported. */
function isPoolError(error: MongoError): boolean {
  return !(error instanceof MongoServerError) && /^Mongo(Pool|WaitQueue)/.test(error.name);
}
