import type { Owned } from '../../../kernel/function-owner.js';
import type { RunRequest } from '../../../ports/function-runs.port.js';
import type { Capability } from '../../../ports/sandbox.port.js';
import { rulesOf } from '../function/function-owner.api.js';
import { withinBudget } from './call-budget.js';
import type { RunSecrets } from './run-secrets.api.js';

export interface ScopedSecret {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly keyFormat?: { readonly encoding: 'utf8' | 'base64' | 'hex'; readonly prefix?: string };
}

/** The run that a capability acts for. */
export interface RunScope {
  readonly request: RunRequest;
  readonly function: Owned & {
    readonly id: string;
    readonly name: string;
    readonly grants: { readonly serviceTools: readonly string[] };
    /** Powers that a person has allowed it. */
    readonly capabilities: readonly string[];
  };
  /** Opened for this attempt. */
  readonly secrets: RunSecrets;
  /** How many counted calls the run may make. */
  readonly mostCalls: number;
}

/** One file of this folder a ctx member: made afresh for each run, so that each judges for its own run alone. */
export interface CapabilityMaker {
  /** How code uses it, on one line that begins with the call: `ctx.a.b(c, d): does this and resolves to that`. */
  readonly usage: string;
  make(scope: RunScope): Capability;
}

/** The ctx members that reach outside. */
export class CapabilityTable {
  constructor(private readonly makers: () => readonly CapabilityMaker[]) {}

  of(scope: RunScope): readonly Capability[] {
    const { ctx } = rulesOf(scope.function);
    const made = this.makers().map((maker) => maker.make(scope));
    return withinBudget(
      made.filter(({ name }) => ctx.includes(name)),
      scope.mostCalls,
    );
  }

  /** For whoever writes code of such a function. */
  usages(of: Owned = {}): readonly string[] {
    const { ctx } = rulesOf(of);
    return this.makers()
      .map(({ usage }) => usage)
      .filter((usage) => ctx.some((member) => usage.startsWith(`ctx.${member}(`)));
  }
}
