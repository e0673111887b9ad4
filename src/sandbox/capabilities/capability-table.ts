import type { RunRequest } from '../../ports/function-runs.port.js';
import type { Capability } from '../../ports/sandbox.port.js';

/** The run that a capability acts for. */
export interface RunScope {
  readonly request: RunRequest;
  readonly function: { readonly id: string; readonly name: string };
}

/** One file of this folder a ctx member: made afresh for each run, so that each judges for its own run alone. */
export interface CapabilityMaker {
  make(scope: RunScope): Capability;
}

/** The ctx members that reach outside. */
export class CapabilityTable {
  constructor(private readonly makers: () => readonly CapabilityMaker[]) {}

  of(scope: RunScope): readonly Capability[] {
    return this.makers().map((maker) => maker.make(scope));
  }
}
