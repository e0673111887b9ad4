/** What goes wrong next, for as long as it is set. */
export interface Faults {
  /** Answers wait for so long. */
  slowMs: number;
  /** Calls are taken and never answered; streams that stand say nothing more. */
  silent: boolean;
  /** Every call is refused with the address of the node that leads. */
  leader: { readonly host: string; readonly port: number } | undefined;
  /** Calls are refused with this gRPC status and text. */
  refuse: { readonly code: number; readonly details: string } | undefined;
  /** So many of the next appends are written, and their connection breaks before the answer. */
  dropAnswers: number;
  /** So many of the next appends are refused as if somebody else had been first. */
  wrongVersions: number;
  /** Appends in batches are refused as by a server that does not have them. */
  noBatches: boolean;
}

export function noFaults(): Faults {
  return {
    slowMs: 0,
    silent: false,
    leader: undefined,
    refuse: undefined,
    dropAnswers: 0,
    wrongVersions: 0,
    noBatches: false,
  };
}
