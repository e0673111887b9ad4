import { Injectable } from '@nestjs/common';
import { Calls } from '../../../engine/operation/calls.js';
import { type Owned, ownerOf } from '../../../kernel/callers/function-owner.js';
import { type Capability, CapabilityRefused } from '../../../ports/sandbox.port.js';
import { type CtxMember, writtenAs } from './ctx-member.js';
import { PowerDenials } from './power-denials.js';
import type { RunScope } from './run-scope.js';

interface Provided extends CtxMember {
  readonly provided: Readonly<Record<string, unknown>>;
}

/** The ctx members that reach outside the sandbox. Each knows its providers from the start, so a run needs only this table. */
@Injectable()
export class CtxTable {
  private members: readonly Provided[] = [];

  constructor(
    private readonly calls: Calls,
    private readonly denials: PowerDenials,
  ) {}

  /** Once, at start. `provided`: by its token, each provider that a member needs. */
  register(members: readonly CtxMember[], provided: ReadonlyMap<unknown, unknown>): void {
    this.members = members.map((member) => {
      const needs = Object.entries(member.needs).map(([name, token]) => [name, provided.get(token)]);
      return { ...member, provided: Object.fromEntries(needs) };
    });
  }

  /** Members are made anew for each run, so that the state they keep belongs to that run alone. */
  capabilitiesFor(scope: RunScope): readonly Capability[] {
    let used = 0;
    return this.membersOf(scope.function).map((member) => {
      const { name, isCounted = true } = member;
      const call = member.begin(scope, member.provided, this.calls);
      return {
        name,
        call: async (args, caller) => {
          if (isCounted) used += 1;
          if (isCounted && used > scope.mostCalls) throw tooManyCalls(scope.mostCalls);
          return this.denials.telling(name, scope, () => call(args, caller));
        },
      };
    });
  }

  /** The documentation lines for authors of functions with this kind of owner: `ctx.a.b(c): does this. Needs …`. */
  usages(owned: Owned = {}): readonly string[] {
    return this.membersOf(owned).map((member) => `${writtenAs(member.name)}${member.usage}${needsOf(member)}`);
  }

  private membersOf(owned: Owned): readonly Provided[] {
    const { kind } = ownerOf(owned);
    return this.members.filter((member) => member.owner === undefined || member.owner === kind);
  }
}

function needsOf({ name, power }: CtxMember): string {
  const right = power === 'service' ? 'Full data access' : power && `the power '${power}'`;
  const site = name.startsWith('sites.') ? 'the site in grants.bases' : undefined;
  const needed = [right, site].filter((one) => one !== undefined);
  return needed.length === 0 ? '' : ` Needs ${needed.join(' and ')}.`;
}

const tooManyCalls = (most: number) =>
  new CapabilityRefused(
    `This run has made its ${most} platform calls, which is what the plan allows; do more with each call.`,
    'call-limit',
    429,
  );
