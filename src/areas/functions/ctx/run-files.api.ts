import type { RunRequest } from '../run/run-request.api.js';

export interface RunFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** The files that a run was started with. Triggers implement it, because they import functions. */
export abstract class RunFiles {
  /** Undefined when the run has no such file, or the file has been deleted. */
  abstract open(request: RunRequest, fileId: string): Promise<RunFile | undefined>;
}
