import { setImmediate } from 'node:timers/promises';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { eventAnswer, type Passes, passes, startIndex } from './read-call.js';
import type { LogRecord, TransactionLog } from './transaction-log.js';

export interface SubscriptionCall {
  /** Sends a response. Returns false if the buffer is full; wait for `drained` then. */
  send(response: streams.ReadResp): boolean;
  drained(): Promise<void>;
  ended(): boolean;
}

/**
 * Serves a filtered subscription to the log as EventStoreDB 24.10 does. In history, each full page ends with a
 * checkpoint of the position at which the next page begins, (next, 0). Once it is live, each window of events ends with
 * a checkpoint.
 */
export async function serveSubscription(
  log: TransactionLog,
  options: ReadReq.Options,
  call: SubscriptionCall,
): Promise<void> {
  const lets = passes(options);
  const window = options.getFilter()?.getMax() ?? 32;
  let index = options.getAll()?.hasStart() ? 0 : startIndex(log.visible, options) + 1;
  const confirmation = new streams.ReadResp();
  confirmation.setConfirmation(new streams.ReadResp.SubscriptionConfirmation());
  call.send(confirmation);
  while (index < log.visible.length) {
    const page = log.visible.slice(index, index + window);
    for (const record of page) if (lets(record)) await send(call, eventAnswer(record));
    index += page.length;
    if (call.ended()) return;
    if (page.length === window) await send(call, checkpoint(page.at(-1)?.end ?? 0, 0));
    await setImmediate();
  }
  serveLive(log, lets, window, call);
  const caughtUp = new streams.ReadResp();
  caughtUp.setCaughtUp(new streams.ReadResp.CaughtUp());
  call.send(caughtUp);
}

function serveLive(log: TransactionLog, lets: Passes, window: number, call: SubscriptionCall): void {
  let counted = 0;
  const unfollow = log.follow((record: LogRecord) => {
    if (call.ended()) return unfollow();
    if (lets(record)) call.send(eventAnswer(record));
    counted += 1;
    if (counted < window) return;
    counted = 0;
    call.send(checkpoint(record.position, record.position));
  });
}

async function send(call: SubscriptionCall, response: streams.ReadResp): Promise<void> {
  if (!call.ended() && !call.send(response)) await call.drained();
}

function checkpoint(commit: number, prepare: number): streams.ReadResp {
  const reached = new streams.ReadResp.Checkpoint();
  reached.setCommitPosition(String(commit));
  reached.setPreparePosition(String(prepare));
  const response = new streams.ReadResp();
  response.setCheckpoint(reached);
  return response;
}
