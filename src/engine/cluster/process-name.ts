/** Names this process in leases, run journals and receipts. A new one at every start. */
export abstract class ProcessName {
  abstract readonly value: string;
}
