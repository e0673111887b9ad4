/** Name of this process in leases, run journals and the idempotency store. It is different after every start. */
export abstract class ProcessName {
  abstract readonly value: string;
}
