/** Names this service process: in leases, in run journals, in receipts. Another one at each start. */
export abstract class ProcessName {
  abstract readonly value: string;
}
