import { Injectable } from '@nestjs/common';
import type { Target } from '../../kernel/callers/target.js';
import { type Aggregate, scopeOf } from '../../kernel/record/aggregate.js';
import type { Scope } from '../operation/operation.js';
import type { OperationContext } from '../operation/operation-context.js';
import { refuse } from '../refusals/engine.refusals.js';
import { Targets } from './targets.js';

/** Checks access within one scope. Implemented by the area that owns the scope. */
export interface ScopeHandler {
  /** @throws Refusal if the workspace has nothing with this id, or if this caller may not use the operation there */
  admit(call: OperationContext, id: string): Promise<void>;
  /** Returns the ids in the workspace for which this agent, or running code, may use the operation. */
  openTo(call: OperationContext): Promise<ReadonlySet<string>>;
}

type Kind = Partial<Pick<Aggregate<unknown, never>, 'within' | 'is'>>;

/** Scopes that operations can be limited to within a workspace. Areas register their handlers at start. */
@Injectable()
export class Scopes {
  private readonly handlers = new Map<Scope, ScopeHandler>();

  constructor(private readonly targets: Targets) {}

  register(scope: Scope, handler: ScopeHandler): void {
    this.handlers.set(scope, handler);
  }

  /** Checks the id in the input, before the handler runs. @throws Refusal site-not-found, ai-permission-missing */
  requireOf(scope: Scope, call: OperationContext, input: object): Promise<void> {
    switch (scope) {
      case 'project':
        return this.require(scope, call, 'projectId' in input ? String(input.projectId) : '');
    }
  }

  /**
   * Checks an id in the scope. If no handler is registered, nothing exists in the scope. @throws Refusal like
   * `requireOf`
   */
  async require(scope: Scope, call: OperationContext, id: string): Promise<void> {
    const handler = this.handlers.get(scope);
    if (handler === undefined) refuse('site-not-found');
    await handler.admit(call, id);
  }

  /**
   * Checks that the record's project exists and is open to the caller. For agents and running code this includes
   * records that only refer to the project, such as a mailbox of the site or a trigger of its function. @throws Refusal
   * like `requireOf`, base-not-granted
   */
  async admit(call: OperationContext, kind: Kind, record: unknown): Promise<void> {
    const within = scopeOf(kind, record);
    if (within !== undefined) return this.require(within.scope, call, within.id);
    if (!isConfined(call)) return;
    if (!reachesBase(call, kind, record)) refuse('base-not-granted', { name: call.caller?.name ?? '' });
    await this.allow(call, await this.projectOf(call.workspaceId, record));
  }

  /**
   * Checks that an agent, or running code, may use the operation in the project. Other callers pass. @throws Refusal
   * like `requireOf`
   */
  async allow(call: OperationContext, projectId: string | null | undefined): Promise<void> {
    if (isConfined(call) && typeof projectId === 'string') await this.require('project', call, projectId);
  }

  /** Like `allow`, for the project of a trigger's target. */
  async allowTarget(call: OperationContext, target: Target): Promise<void> {
    if (isConfined(call)) await this.allow(call, (await this.targets.find(call.workspaceId, target))?.projectId);
  }

  /**
   * Returns the items whose project allows the caller the operation. If `kind.is` is
   * `project`, the items are projects themselves.
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

  /** Returns a check for many projects. Undefined and null, for items without a project, pass. */
  async openTo(call: OperationContext): Promise<(projectId: string | null | undefined) => boolean> {
    if (!isConfined(call)) return () => true;
    const open = await this.handlers.get('project')?.openTo(call);
    return (projectId) => typeof projectId !== 'string' || open?.has(projectId) === true;
  }

  /** Returns the project of a record or of its target. */
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

/** Projects restrict only agents (Sites API, AI permissions) and running code (Automations API, Rules 5). */
export const isConfined = ({ caller }: Pick<OperationContext, 'caller'>): boolean =>
  caller?.kind === 'agent' || caller?.reach !== undefined;

/**
 * Whether the caller may reach this base, or the record in a base, if the base belongs to no project. True for all
 * other records.
 */
function reachesBase({ caller }: Pick<OperationContext, 'caller'>, { is }: Kind, record: unknown): boolean {
  const { id, baseId = is === 'base' ? id : undefined, projectId } = record as Naming & { readonly id?: unknown };
  if (caller?.reach === undefined || baseId === undefined || typeof projectId === 'string') return true;
  return caller.reach.bases.includes(String(baseId));
}
