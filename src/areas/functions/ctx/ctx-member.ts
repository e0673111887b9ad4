import type { Call } from '../../../engine/operation/call.js';
import type { Calls } from '../../../engine/operation/calls.js';
import { functionActor } from '../../../kernel/actors/members-behind.js';
import type { FunctionOwnerKind } from '../../../kernel/callers/function-owner.js';
import type { Json } from '../../../kernel/json/json.js';
import { type CallingRun, type Capability, CapabilityRefused } from '../../../ports/sandbox.port.js';
import type { Power } from '../function/function.record.js';
import { type GrantedSite, grantedSite, mustHold, wrongUse } from './ctx-refusals.js';
import type { RunScope } from './run-scope.js';

type Token<Provider> = abstract new (...args: never[]) => Provider;
export type Tokens = Readonly<Record<string, Token<unknown>>>;
type Provided<Needs extends Tokens> = {
  readonly [Name in keyof Needs]: Needs[Name] extends Token<infer Provider> ? Provider : never;
};

interface Facts {
  /** The path below ctx. What begins with `sites.` is a member of each granted site: `ctx.sites['Shop'].users.get`. */
  readonly name: string;
  /** The arguments, and what a call does and resolves to: `(id): deletes a file for good.` The assistant's model reads it. */
  readonly usage: string;
  /** Whose functions have it: the workspace's or those of its sites. Left out: both. */
  readonly owner?: FunctionOwnerKind;
  /** It works only in functions that a person granted this to (Rules 2). */
  readonly power?: Power;
  /** It deletes something. Runs started by a key that never deletes are refused with this sentence. */
  readonly deletes?: string;
  /** False: a call does not count among those that a run may make, nor in the guest (`sandbox/guest/calls`). */
  readonly isCounted?: false;
  /** How often one run may call it. */
  readonly mostCalls?: { readonly count: number; readonly instead: string };
  /** The operation that its changes are recorded as. Left out: as code writes it, `ctx.files.delete`. */
  readonly recordedAs?: string;
}

interface Declaration<Needs extends Tokens, Args, State> extends Facts {
  /** The arguments, which may be any JSON, checked. `no` refuses them: "ctx.files.delete takes the id of a file." */
  args(sent: readonly Json[], no: (what: string) => never): Args;
  /** What it remembers between the calls of one run. Made anew for each run. */
  state?(): State;
  call(args: Args, run: CtxCall<State> & Provided<Needs>): Promise<Json>;
}

/** What a call gets beside its arguments and the providers that its member needs. */
export interface CtxCall<State = unknown> {
  readonly scope: RunScope;
  /** The granted site that was named or, elsewhere than below `ctx.sites`, the site that the function is of. */
  readonly site: GrantedSite;
  readonly state: State;
  /** The run, as the caller of what this call starts. */
  readonly caller: CallingRun;
  /** A new call by the function, of the operation `recordedAs` or another. */
  newCall(operation?: string): Call;
}

/** A ctx member that reaches outside the sandbox, as data. */
export interface CtxMember extends Facts {
  readonly needs: Tokens;
  /** For one run. `provided`: what `needs` names. */
  begin(scope: RunScope, provided: Readonly<Record<string, unknown>>, calls: Calls): Capability['call'];
}

/** What its author writes before the arguments. */
export const writtenAs = (name: string): string =>
  name.startsWith('sites.') ? `ctx.sites['<name or id>'].${name.slice('sites.'.length)}` : `ctx.${name}`;

/** What a power opens: a member of a site, elsewhere all members of a group. */
const poweredAs = (name: string): string =>
  name.startsWith('sites.') ? writtenAs(name) : `ctx.${name.slice(0, name.lastIndexOf('.'))}`;

/** Declares a member that needs these providers: `ctxMember({ files: SiteFiles })({ name: 'files.list', … })`. */
export const ctxMember =
  <Needs extends Tokens>(needs: Needs) =>
  <Args, State>(declared: Declaration<Needs, Args, State>): CtxMember => ({
    ...declared,
    needs,
    begin(scope, provided, calls) {
      const { name, power, mostCalls, deletes, recordedAs = writtenAs(name) } = declared;
      const state = declared.state?.() as State;
      const { request, function: fn } = scope;
      const newCall = (operation = recordedAs) => calls.within(request, functionActor(fn, request.actor), operation);
      const no = (what: string) => wrongUse(`ctx.${name}`, what);
      let made = 0;
      return async (sent, caller) => {
        made += 1;
        if (deletes !== undefined && request.neverDeletes)
          throw new CapabilityRefused(deletes, 'key-never-deletes', 403);
        if (power !== undefined) mustHold(scope, power, poweredAs(name));
        const [site, given] = siteOf(scope, name, sent);
        const args = declared.args(given, no);
        if (mostCalls !== undefined && made > mostCalls.count) throw tooOften(name, mostCalls);
        const run: CtxCall<State> = { scope, site, state, caller, newCall };
        return declared.call(args, { ...(provided as Provided<Needs>), ...run });
      };
    },
  });

/** Below `ctx.sites` the first argument is the site. The guest puts it there. */
function siteOf(
  { function: fn }: RunScope,
  name: string,
  sent: readonly Json[],
): readonly [GrantedSite, readonly Json[]] {
  if (!name.startsWith('sites.')) return [{ projectId: fn.projectId ?? '', readsOnly: false }, sent];
  return [grantedSite(fn, sent[0]), sent.slice(1)];
}

const tooOften = (name: string, { count, instead }: { readonly count: number; readonly instead: string }) =>
  new CapabilityRefused(`A run may call ctx.${name} ${count} times; ${instead}.`, 'limit', 429);
