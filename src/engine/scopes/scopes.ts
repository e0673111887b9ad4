import { Injectable } from '@nestjs/common';
import type { Target } from '../../kernel/callers/target.js';
import { type Aggregate, scopeOf } from '../../kernel/record/aggregate.js';
import type { Scope } from '../operation/operation.js';
import type { OperationContext } from '../operation/operation-context.js';
import { refuse } from '../refusals/engine.refusals.js';
import { Targets } from './targets.js';

/** Implemented by the area that owns a scope. */
export interface ScopeHandler {
  /** @throws Refusal when the workspace has nothing with this id, or this caller may not use the operation there */
  admit(call: OperationContext, id: string): Promise<void>;
  /** The ids in the workspace that allow agents the operation. */
  openToAgents(call: OperationContext): Promise<ReadonlySet<string>>;
}

type Kind = Pick<Aggregate<unknown, never>, 'within' | 'is'>;

/** What operations can be limited to, besides the workspace. Areas register their handlers at start. */
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

  /** Without a registered handler nothing exists in the scope. @throws Refusal as `requireOf` */
  async require(scope: Scope, call: OperationContext, id: string): Promise<void> {
    const handler = this.handlers.get(scope);
    if (handler === undefined) refuse('site-not-found');
    await handler.admit(call, id);
  }

  /**
   * Checks that the record's project exists and is open to the caller. For agents this includes records that only refer
   * to the project: a mailbox of the site, a trigger of its function. @throws Refusal as `requireOf`
   */
  async admit(call: OperationContext, kind: Kind, record: unknown): Promise<void> {
    const within = scopeOf(kind, record);
    if (within !== undefined) return this.require(within.scope, call, within.id);
    if (isAgents(call)) await this.allow(call, await this.projectOf(call.workspaceId, record));
  }

  /** Checks whether the project allows agents the operation; other callers pass. @throws Refusal as `requireOf` */
  async allow(call: OperationContext, projectId: string | null | undefined): Promise<void> {
    if (isAgents(call) && typeof projectId === 'string') await this.require('project', call, projectId);
  }

  /** Like `allow`, for the project of a trigger's target. */
  async allowTarget(call: OperationContext, target: Target): Promise<void> {
    if (isAgents(call)) await this.allow(call, (await this.targets.find(call.workspaceId, target))?.projectId);
  }

  /** The items whose project allows the caller the operation. `is`: the items are projects themselves. */
  async allowed<Item extends object>(
    call: OperationContext,
    items: readonly Item[],
    kind: Kind = {},
  ): Promise<readonly Item[]> {
    if (!isAgents(call)) return items;
    const isOpen = await this.openTo(call);
    const projects = await Promise.all(
      items.map((item) => scopeOf(kind, item)?.id ?? this.projectOf(call.workspaceId, item)),
    );
    return items.filter((_, index) => isOpen(projects[index]));
  }

  /** For checking many projects. Undefined and null, for items without a project, are open. */
  async openTo(call: OperationContext): Promise<(projectId: string | null | undefined) => boolean> {
    if (!isAgents(call)) return () => true;
    const open = await this.handlers.get('project')?.openToAgents(call);
    return (projectId) => typeof projectId !== 'string' || open?.has(projectId) === true;
  }

  /** The project that a record, or its target, belongs to. */
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
}

/** Projects restrict only agents (Sites API, AI permissions). */
export const isAgents = ({ caller }: Pick<OperationContext, 'caller'>): boolean => caller?.kind === 'agent';
