import { Injectable } from '@nestjs/common';
import { Calls } from '../../../engine/operation/calls.js';
import { type FunctionOwnerKind, type Owned, ownerOf } from '../../../kernel/callers/function-owner.js';
import type { Json } from '../../../kernel/json/json.js';
import { type CallingRun, type Capability, CapabilityRefused } from '../../../ports/offloaded/sandbox.port.js';
import { type CtxMember, writtenAs } from './ctx-member.js';
import { PowerDenials } from './power-denials.js';
import type { RunScope } from './run-scope.js';

interface Provided extends CtxMember {
  readonly provided: Readonly<Record<string, unknown>>;
}

@Injectable()
export class CtxTable {
  private members: Readonly<Record<FunctionOwnerKind, readonly Provided[]>> = { workspace: [], project: [] };

  constructor(
    private readonly calls: Calls,
    private readonly denials: PowerDenials,
  ) {}

  /**
   * Must be called once, at start.
   * @param provided the members' providers by their tokens
   */
  register(members: readonly CtxMember[], provided: ReadonlyMap<unknown, unknown>): void {
    const all = members.map((member) => {
      const needs = Object.entries(member.needs).map(([name, token]) => [name, provided.get(token)]);
      return { ...member, provided: Object.fromEntries(needs) };
    });
    const ofKind = (kind: FunctionOwnerKind) => all.filter(({ owner }) => owner === undefined || owner === kind);
    this.members = { workspace: ofKind('workspace'), project: ofKind('project') };
  }

  /** Each member is bound to the run at its first call, because most runs use few members. */
  capabilitiesFor(scope: RunScope): readonly Capability[] {
    const calls = new CallsOfRun(scope, this.calls, this.denials);
    return this.membersOf(scope.function).map((member) => new MemberOfRun(member, calls));
  }

  /** Returns one line per member: `ctx.a.b(c): does this. Needs …`. */
  usages(owned: Owned = {}): readonly string[] {
    return this.membersOf(owned).map((member) => `${writtenAs(member.name)}${member.usage}${needsOf(member)}`);
  }

  private membersOf(owned: Owned): readonly Provided[] {
    return this.members[ownerOf(owned).kind];
  }
}

class MemberOfRun implements Capability {
  constructor(
    private readonly member: Provided,
    private readonly calls: CallsOfRun,
  ) {}

  get name(): string {
    return this.member.name;
  }

  call(args: readonly Json[], caller: CallingRun): Promise<Json> {
    return this.calls.make(this.member, args, caller);
  }
}

class CallsOfRun {
  private used = 0;
  private readonly begun = new Map<Provided, Capability['call']>();

  constructor(
    private readonly scope: RunScope,
    private readonly calls: Calls,
    private readonly denials: PowerDenials,
  ) {}

  async make(member: Provided, args: readonly Json[], caller: CallingRun): Promise<Json> {
    const { scope } = this;
    const { name, isCounted = true } = member;
    if (isCounted) this.used += 1;
    if (isCounted && this.used > scope.mostCalls) throw tooManyCalls(scope.mostCalls);
    return this.denials.withDecisionIds(name, scope, () => this.contextOf(member)(args, caller));
  }

  private contextOf(member: Provided): Capability['call'] {
    const call = this.begun.get(member) ?? member.begin(this.scope, member.provided, this.calls);
    this.begun.set(member, call);
    return call;
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
    `This run has made ${most} platform calls, which is the limit of the plan; do more with each call.`,
    'call-limit',
    429,
  );
