import type { Calls } from '../../../engine/operation/calls.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { functionActor } from '../../../kernel/actors/members-behind.js';
import type { FunctionOwnerKind } from '../../../kernel/callers/function-owner.js';
import type { Json } from '../../../kernel/json/json.js';
import { type CallingRun, type Capability, CapabilityRefused } from '../../../ports/offloaded/sandbox.port.js';
import type { Power } from '../function/function.record.js';
import { type GrantedSite, grantedSite, mustHold, refusedCall, wrongUse } from './ctx-refusals.js';
import type { RunScope } from './run-scope.js';

type Token<Provider> = abstract new (...args: never[]) => Provider;
export type CtxTokens = Readonly<Record<string, Token<unknown>>>;
type Provided<Needs extends CtxTokens> = {
  readonly [Name in keyof Needs]: Needs[Name] extends Token<infer Provider> ? Provider : never;
};

interface Facts {
  /**
   * Path below `ctx`. A name that begins with `sites.` is a member of each granted site: `ctx.sites['Shop'].users.get`.
   */
  readonly name: string;
  /** Arguments, effect and result: `(id): deletes a file for good.` Part of the assistant's prompt. */
  readonly usage: string;
  /** If omitted, functions of both workspaces and sites have the member. */
  readonly owner?: FunctionOwnerKind;
  /** The power that a person must have granted to the function (Automations API, Rules 2). */
  readonly power?: Power;
  /**
   * Set if the member deletes data. Calls are refused with this message if the starter of the run is not allowed to
   * delete.
   */
  readonly deletes?: string;
  /**
   * If false, calls do not count towards the limit of calls per run. The sandbox (`sandbox/guest/calls`) also enforces
   * this limit.
   */
  readonly isCounted?: false;
  readonly mostCalls?: { readonly count: number; readonly instead: string };
  /** Defaults to the name in code, such as `ctx.files.delete`. */
  readonly recordedAs?: string;
}

interface Declaration<Needs extends CtxTokens, Args, State> extends Facts {
  /**
   * `no` throws a refusal whose message is the member's name followed by the passed words, as in "ctx.files.delete
   * takes the id of a file."
   */
  args(sent: readonly Json[], no: (what: string) => never): Args;
  state?(): State;
  /** Refusals and outages of stores reach the code as errors with `message`, `code` and `status`. */
  call(args: Args, run: CtxCall<State> & Provided<Needs>): Promise<Json>;
}

export interface CtxCall<State = unknown> {
  readonly scope: RunScope;
  /**
   * For `ctx.sites` members, the site that the first argument names. For other members, the function's own site,
   * with an empty `projectId` in functions of a workspace.
   */
  readonly site: GrantedSite;
  readonly state: State;
  readonly caller: CallingRun;
  newCall(operation?: string): OperationContext;
}

export interface CtxMember extends Facts {
  readonly needs: CtxTokens;
  begin(scope: RunScope, provided: Readonly<Record<string, unknown>>, calls: Calls): Capability['call'];
}

export const writtenAs = (name: string): string =>
  name.startsWith('sites.') ? `ctx.sites['<name or id>'].${name.slice('sites.'.length)}` : `ctx.${name}`;

/**
 * Returns what a refusal for a missing power names: the member itself if it belongs to a site, otherwise the path above
 * it, such as `ctx.email`.
 */
const poweredAs = (name: string): string =>
  name.startsWith('sites.') ? writtenAs(name) : `ctx.${name.slice(0, name.lastIndexOf('.'))}`;

/** Used as `ctxMember({ files: SiteFiles })({ name: 'files.list', … })`. */
export const ctxMember =
  <Needs extends CtxTokens>(needs: Needs) =>
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
        try {
          return await declared.call(args, { ...(provided as Provided<Needs>), ...run });
        } catch (error) {
          throw refusedCall(error);
        }
      };
    },
  });

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
