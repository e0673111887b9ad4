import { createRequire } from 'node:module';

interface RequestQueue {
  readonly pending: readonly unknown[];
}
type Schedule = (this: RequestQueue) => void;

/**
 * kafkajs 2.2.4 checks every connection once a millisecond for waiting requests, even when there are none: a twelfth of
 * a core in an idle process. A request that must wait calls this method itself, so the timer is unnecessary.
 */
export function quietIdleConnections(): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as {
    readonly prototype: { scheduleCheckPendingRequests: Schedule & { readonly isQuiet?: true } };
  };
  const schedule = prototype.scheduleCheckPendingRequests;
  if (typeof schedule !== 'function' || schedule.isQuiet) return;
  const quiet: Schedule = function (this: RequestQueue) {
    if (this.pending.length > 0) schedule.call(this);
  };
  prototype.scheduleCheckPendingRequests = Object.assign(quiet, { isQuiet: true } as const);
}
