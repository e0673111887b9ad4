import type { Owned } from '../../../kernel/callers/function-owner.js';
import type { Capability } from '../../../ports/sandbox.port.js';
import type { AccountFunction } from '../function/function.record.js';
import { rulesOf } from '../function/function-owner.api.js';
import type { RunRequest } from '../run/function-runs.api.js';
import { withinBudget } from './call-budget.js';
import type { RunSecrets } from './run-secrets.api.js';

export interface ScopedSecret {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly keyFormat?: { readonly encoding: 'utf8' | 'base64' | 'hex'; readonly prefix?: string };
  /** See `ListedSecret`. */
  readonly opened?: true;
}

/** The run on whose behalf a capability acts. */
export interface RunScope {
  readonly request: RunRequest;
  readonly function: Owned & {
    readonly id: string;
    readonly name: string;
    readonly grants: {
      readonly bases: readonly { readonly projectId: string; readonly access: 'read' | 'write' }[];
      readonly serviceTools: readonly string[];
    };
    /** Powers that a person has granted the function. */
    readonly capabilities: AccountFunction['capabilities'];
    /** 'workspace': pages that start it reach every row of its site. */
    readonly identityMode: AccountFunction['identityMode'];
  };
  /** Opened for this attempt only. */
  readonly secrets: RunSecrets;
  /** How many counted calls the run may make in all. */
  readonly mostCalls: number;
}

/**
 * Makes one ctx member; each file of this folder holds one. Members are made anew for each run, so that the state they
 * keep belongs to that run alone.
 */
export interface CapabilityMaker {
  /** One line of documentation that begins with the call: `ctx.a.b(c, d): does this and resolves to that`. */
  readonly usage: string;
  make(scope: RunScope): Capability;
}

/** Members below a site are the site's by name: `ctx.sites['Shop'].methods.call`. */
const calledAs = (member: string) =>
  member.startsWith('sites.') ? `ctx.sites['<name or id>'].${member.slice('sites.'.length)}` : `ctx.${member}`;

/** The ctx members that reach outside the sandbox. */
export class CapabilityTable {
  constructor(
    private readonly makers: () => readonly CapabilityMaker[],
    private readonly telling: (capability: Capability, scope: RunScope) => Capability = (capability) => capability,
  ) {}

  of(scope: RunScope): readonly Capability[] {
    const { ctx } = rulesOf(scope.function);
    const made = this.makers().map((maker) => maker.make(scope));
    return withinBudget(
      made.filter(({ name }) => ctx.includes(name)).map((capability) => this.telling(capability, scope)),
      scope.mostCalls,
    );
  }

  /** The documentation lines for authors of functions with this kind of owner. */
  usages(of: Owned = {}): readonly string[] {
    const { ctx } = rulesOf(of);
    return this.makers()
      .map(({ usage }) => usage)
      .filter((usage) => ctx.some((member) => usage.startsWith(`${calledAs(member)}(`)));
  }
}
