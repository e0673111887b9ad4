import { createRequire } from 'node:module';

interface RequestQueue {
  readonly pending: readonly unknown[];
}
type Schedule = (this: RequestQueue) => void;

/**
 * A timer of kafkajs 2.2.4 checks every connection once a millisecond for waiting requests, which costs an idle process
 * a twelfth of a core. With this patch, the timer runs only while requests wait.
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
