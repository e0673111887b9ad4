/** Faults of the server. Each remains in effect while it is set, or for a number of appends. */
export interface Faults {
  /** Delay of every response, in milliseconds. */
  slowMs: number;
  /** If true, calls are accepted but never answered, and open streams deliver nothing. */
  silent: boolean;
  /** If set, every call is refused with the address of this node as the leader. */
  leader: { readonly host: string; readonly port: number } | undefined;
  /** If set, calls are refused with this gRPC status and text. */
  refuse: { readonly code: number; readonly details: string } | undefined;
  /** Number of appends that are written but whose connection breaks before the response. */
  dropAnswers: number;
  /** Number of appends that are refused as if another writer had been first. */
  wrongVersions: number;
  /** If true, batch appends are refused as by a server that does not support them. */
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
