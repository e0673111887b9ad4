import type { RunRequest } from '../run/run-request.api.js';

export interface RunFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** The files that a run was started with. The area of triggers implements it, because it imports this one. */
export abstract class RunFiles {
  /** Undefined: the run has no such file, or the file has been deleted. */
  abstract open(request: RunRequest, fileId: string): Promise<RunFile | undefined>;
}
