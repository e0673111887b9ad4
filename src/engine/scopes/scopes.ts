import { Injectable } from '@nestjs/common';
import type { Target } from '../../kernel/callers/target.js';
import { type Aggregate, scopeOf } from '../../kernel/record/aggregate.js';
import type { Scope } from '../operation/operation.js';
import type { OperationContext } from '../operation/operation-context.js';
import { refuse } from '../refusals/engine.refusals.js';
import { Targets } from './targets.js';

export interface ScopeHandler {
  /**
   * @throws Refusal if the id does not exist in the workspace, or if the caller has no right to use the operation there
   */
  admit(call: OperationContext, id: string): Promise<void>;
  /** Returns the ids for which the caller may use the operation. Only called for agents and running code. */
  openTo(call: OperationContext): Promise<ReadonlySet<string>>;
}

type Kind = Partial<Pick<Aggregate<unknown, never>, 'within' | 'is'>>;

@Injectable()
export class Scopes {
  private readonly handlers = new Map<Scope, ScopeHandler>();

  constructor(private readonly targets: Targets) {}

  register(scope: Scope, handler: ScopeHandler): void {
    this.handlers.set(scope, handler);
  }

  /** @throws Refusal site-not-found, ai-permission-missing */
  requireOf(scope: Scope, call: OperationContext, input: object): Promise<void> {
    switch (scope) {
      case 'project':
        return this.require(scope, call, 'projectId' in input ? String(input.projectId) : '');
    }
  }

  /**
   * A scope without a handler has no ids, so every id is refused.
   * @throws Refusal like `requireOf`
   */
  async require(scope: Scope, call: OperationContext, id: string): Promise<void> {
    const handler = this.handlers.get(scope);
    if (handler === undefined) refuse('site-not-found');
    await handler.admit(call, id);
  }

  /**
   * For agents and running code, also checks records that only refer to a project, such as a site's mailbox or a
   * trigger of a site's function.
   * @throws Refusal like `requireOf`, base-not-granted
   */
  async admit(call: OperationContext, kind: Kind, record: unknown): Promise<void> {
    const within = scopeOf(kind, record);
    if (within !== undefined) return this.require(within.scope, call, within.id);
    if (!isConfined(call)) return;
    if (!reachesBase(call, kind, record)) refuse('base-not-granted', { name: call.caller?.name ?? '' });
    await this.allow(call, await this.projectOf(call.workspaceId, record));
  }

  /**
   * Does nothing without a project, or if the caller is neither an agent nor running code.
   * @throws Refusal like `requireOf`
   */
  async allow(call: OperationContext, projectId: string | null | undefined): Promise<void> {
    if (isConfined(call) && typeof projectId === 'string') await this.require('project', call, projectId);
  }

  async allowTarget(call: OperationContext, target: Target): Promise<void> {
    if (isConfined(call)) await this.allow(call, (await this.targets.find(call.workspaceId, target))?.projectId);
  }

  /**
   * Agents and running code get the items without a project and those in whose project they may use the operation;
   * running code also needs a grant for bases without a project. Other callers get all items. If the items are projects
   * themselves, `kind.is` must be `project`.
   */
  async allowed<Item extends object>(
    call: OperationContext,
    items: readonly Item[],
    kind: Kind = {},
  ): Promise<readonly Item[]> {
    if (!isConfined(call)) return items;
    const isOpen = await this.openTo(call);
    const projects = await Promise.all(
      items.map((item) => scopeOf(kind, item)?.id ?? this.projectOf(call.workspaceId, item)),
    );
    return items.filter((item, index) => isOpen(projects[index]) && reachesBase(call, kind, item));
  }

  /** The returned function returns true for callers other than agents and running code. */
  async openTo(call: OperationContext): Promise<(projectId: string | null | undefined) => boolean> {
    if (!isConfined(call)) return () => true;
    const open = await this.handlers.get('project')?.openTo(call);
    return (projectId) => typeof projectId !== 'string' || open?.has(projectId) === true;
  }

  /** For a trigger of a site's function, returns the function's project. */
  async projectOf(workspaceId: string, record: unknown): Promise<string | undefined> {
    const { projectId, targetKind: kind, targetRef: ref } = record as Naming;
    if (typeof projectId === 'string') return projectId;
    if (kind !== 'site_function' || typeof ref !== 'string') return undefined;
    return (await this.targets.find(workspaceId, { kind, ref }))?.projectId;
  }
}

interface Naming {
  readonly projectId?: unknown;
  readonly targetKind?: unknown;
  readonly targetRef?: unknown;
  readonly baseId?: unknown;
}

/**
 * Returns true for callers to which a project can be closed: agents (Sites API, AI permissions) and running code
 * (Automations API, Rules 5).
 */
export const isConfined = ({ caller }: Pick<OperationContext, 'caller'>): boolean =>
  caller?.kind === 'agent' || caller?.reach !== undefined;

function reachesBase({ caller }: Pick<OperationContext, 'caller'>, { is }: Kind, record: unknown): boolean {
  const { id, baseId = is === 'base' ? id : undefined, projectId } = record as Naming & { readonly id?: unknown };
  if (caller?.reach === undefined || baseId === undefined || typeof projectId === 'string') return true;
  return caller.reach.bases.includes(String(baseId));
}
