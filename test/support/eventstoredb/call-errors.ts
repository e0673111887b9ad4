import { Metadata, type ServiceError, status } from '@grpc/grpc-js';

/** Creates an error as the server sends it: a status, with trailers that name and describe the exception. */
export function callError(
  code: number,
  details: string,
  trailers: Readonly<Record<string, string>> = {},
): Partial<ServiceError> & { readonly code: number; readonly details: string; readonly metadata: Metadata } {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.add(name, value);
  return { code, details, metadata };
}

export const notLeader = (host: string, port: number) =>
  callError(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  });

export const timedOut = () => callError(status.ABORTED, 'Operation timed out: Prepare phase timeout.');

export const tooLarge = (limit: number) =>
  callError(status.INVALID_ARGUMENT, `Maximum Append Size of ${limit} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(limit),
  });

export const missingProperty = (name: string) =>
  callError(status.INVALID_ARGUMENT, `Required Metadata Property '${name}' is missing`, {
    exception: 'missing-required-metadata-property',
    'required-metadata-properties': 'type,content-type',
  });

export const invalid = (details: string) => callError(status.INVALID_ARGUMENT, details);
export const invalidPosition = (filtered: boolean) =>
  filtered
    ? callError(status.UNKNOWN, 'Unexpected FilteredReadAllResult: InvalidPosition')
    : callError(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.');

export const isTooLarge = (error: unknown) =>
  error instanceof Object && 'details' in error && /Maximum Append Size/.test(String(error.details));
