import { createRequire } from 'node:module';

interface RequestQueue {
  readonly pending: readonly unknown[];
}
type Schedule = (this: RequestQueue) => void;

/**
 * kafkajs 2.2.4 looks once a millisecond and connection whether a request waits, also when none does: a twelfth of a core
 * for a process that idles. A request that has to wait calls this method itself, so nobody else has to.
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
