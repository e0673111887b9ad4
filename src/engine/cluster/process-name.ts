/** Names this process in leases, run journals and the idempotency store. A process gets a new name at every start. */
export abstract class ProcessName {
  abstract readonly value: string;
}
