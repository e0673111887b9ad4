import { status } from '@grpc/grpc-js';
import { EventStoreUnavailable } from '../../../ports/event-store.port.js';

export class NoAnswer extends Error {
  constructor(readonly afterMs: number) {
    super(`No answer within ${afterMs} ms.`);
  }
}

export class AppendFailed extends Error {
  constructor(
    readonly code: number,
    readonly details: string,
    readonly exception: string | undefined,
  ) {
    super(details);
  }
}

export class StreamEnded extends Error {}

interface CallError {
  readonly code: number;
  readonly details: string;
  readonly exception: string | undefined;
}

/** Not `instanceof`, because Jest runs tests in a realm with another Error class. */
export function callErrorOf(error: unknown): CallError | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error) || typeof error.code !== 'number') return;
  if (error instanceof AppendFailed) return error;
  const details = 'details' in error && typeof error.details === 'string' ? error.details : '';
  return { code: error.code, details, exception: trailer(error, 'exception') };
}

export function isUnimplemented(error: unknown): boolean {
  return callErrorOf(error)?.code === status.UNIMPLEMENTED;
}

export function isNotLeader(error: unknown): boolean {
  return callErrorOf(error)?.exception === 'not-leader';
}

/** Whether the call possibly took effect despite the error. Only a read can show whether it has. */
export function isUndecided(error: unknown): boolean {
  const code = callErrorOf(error)?.code;
  return error instanceof NoAnswer || code === status.DEADLINE_EXCEEDED || code === status.ABORTED;
}

/** The text of this error differs between filtered and unfiltered reads and between server versions. */
export function isUnknownPosition(error: unknown): boolean {
  return /invalid ?position|ReadAllResult: Error/i.test(callErrorOf(error)?.details ?? '');
}

export function eventStoreUnavailable(error: unknown): unknown {
  const sentence = sentenceOf(error);
  if (sentence === undefined) return error;
  return new EventStoreUnavailable(`The event store is not available: ${sentence}.`, { cause: error });
}

function sentenceOf(error: unknown): string | undefined {
  if (error instanceof NoAnswer) {
    return `EventStoreDB did not respond within ${error.afterMs} ms; check its load and the network, and try again`;
  }
  if (error instanceof StreamEnded) return 'EventStoreDB ended the stream; the service reconnects automatically';
  const call = callErrorOf(error);
  if (call !== undefined) return sentenceOfCall(call);
  const message = error instanceof Error ? error.message : '';
  if (message.startsWith('Failed to discover')) {
    return 'no node of the cluster reports a leader; check that the nodes run and that the address names them, and try again';
  }
  if (/channel (has been shut down|closed)/i.test(message)) return 'the connection was just closed; try again';
  return undefined;
}

function sentenceOfCall({ code, details, exception }: CallError): string | undefined {
  if (exception === 'not-leader') {
    return 'the node does not lead the cluster; the next call goes to the leader, so try again';
  }
  if (exception === 'access-denied' || code === status.PERMISSION_DENIED || code === status.UNAUTHENTICATED) {
    return 'EventStoreDB refuses the user in the address; use one that may read $all and append events, and start again';
  }
  switch (code) {
    case status.UNAVAILABLE:
    case status.CANCELLED:
    case status.INTERNAL:
      return sentenceOfConnection(details);
    case status.DEADLINE_EXCEEDED:
    case status.ABORTED:
      return 'EventStoreDB did not respond in time; check its load and the network, and try again';
    case status.RESOURCE_EXHAUSTED:
      return 'EventStoreDB has no resources for the call; check its memory and disk, and try again';
    case status.UNIMPLEMENTED:
      return 'the server is neither EventStoreDB 22.10 or later nor KurrentDB; check the address';
    case status.UNKNOWN:
      return 'EventStoreDB failed without a reason; check its log, and try again';
    default:
      return undefined;
  }
}

function sentenceOfConnection(details: string): string {
  if (/certificate|self.signed|SSL|TLS|wrong version number/i.test(details)) {
    return 'the connection to EventStoreDB is not secured as expected; check tls and tlsCAFile in its address';
  }
  if (/Not Ready|leader info/i.test(details))
    return 'EventStoreDB is starting or electing its leader; wait a moment, and try again';
  if (/ Busy/i.test(details)) return 'EventStoreDB is too busy; wait a moment, and try again';
  if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|resolution/i.test(details)) {
    return 'EventStoreDB cannot be reached; check that it runs and that the address is right, and try again';
  }
  return 'the connection to EventStoreDB was lost; check that it runs, and try again';
}

function trailer(error: object, name: string): string | undefined {
  if (!('metadata' in error) || typeof error.metadata !== 'object' || error.metadata === null) return undefined;
  const { metadata } = error;
  if (!('get' in metadata) || typeof metadata.get !== 'function') return undefined;
  const value: unknown = metadata.get(name)[0];
  return value === undefined ? undefined : String(value);
}
