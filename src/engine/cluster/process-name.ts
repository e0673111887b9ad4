/** Names this process in leases, run journals and the idempotency store. New at every start. */
export abstract class ProcessName {
  abstract readonly value: string;
}
