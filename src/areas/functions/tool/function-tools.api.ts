import { Injectable } from '@nestjs/common';
import { failedCheck, isWithinKey } from '../../../engine/authorisation/authorisation.js';
import { Calls } from '../../../engine/operation/calls.js';
import { findOperation, type OperationName, type RegisteredOperation } from '../../../engine/operation/operation.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { Starters } from '../../../engine/scopes/starters.js';
import { startRefusal } from '../../../kernel/actors/run-by.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { Sites } from '../../sites/project/sites.api.js';
import type { FunctionDocument } from '../function/function.record.js';
import { ownerRules } from '../function/function-owner.api.js';
import { refuse } from '../functions.refusals.js';
import type { ToolName } from './tool-name.record.js';
import { slugsIn, toolNames } from './tool-names.js';

export interface FunctionTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly kind: 'read' | 'write' | 'destructive';
  readonly operation: RegisteredOperation;
  inputOf(params: JsonObject): JsonObject;
  resultOf(answer: JsonObject): unknown;
}

/** A tool keeps its name when the function is renamed. */
@Injectable()
export class FunctionTools {
  constructor(
    private readonly reads: Reads,
    private readonly scopes: Scopes,
    private readonly starters: Starters,
    private readonly calls: Calls,
    private readonly sites: Sites,
  ) {}

  async list(caller: Caller): Promise<readonly FunctionTool[]> {
    const found = await Promise.all([this.runnable(caller, 'workspace'), this.runnable(caller, 'project')]);
    const functions = found.flat();
    if (functions.length === 0) return [];
    const { workspaceId } = caller;
    const own = await this.reads.find<ToolName>(workspaceId, 'toolNames', {
      where: { id: { in: functions.map(({ id }) => id) } },
    });
    const slugs = [...new Set(own.map(({ slug }) => slug))];
    const names = toolNames(
      await this.reads.find<ToolName>(workspaceId, 'toolNames', { where: { slug: { in: slugs } } }),
    );
    return functions.flatMap((fn) => toolOf(fn, names.get(fn.id)));
  }

  /** Returns undefined if the tool does not exist or this caller may not use it. */
  async find(caller: Caller, tool: string): Promise<FunctionTool | undefined> {
    const { workspaceId } = caller;
    const slugs = slugsIn(tool);
    if (slugs === undefined) return undefined;
    const known = await this.reads.find<ToolName>(workspaceId, 'toolNames', {
      where: { slug: { in: slugs.map(({ slug }) => slug) } },
    });
    const [id] = [...toolNames(known)].find(([, name]) => name === tool) ?? [];
    if (id === undefined) return undefined;
    for (const owner of ['workspace', 'project'] as const) {
      const [fn] = await this.runnable(caller, owner, id);
      const [found] = fn === undefined ? [] : toolOf(fn, tool);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private async runnable(caller: Caller, owner: 'workspace' | 'project', id?: string) {
    const operation = operationOf(owner);
    if (!isWithinKey(operation, caller) || failedCheck(operation, caller) !== undefined) return [];
    const { workspaceId, functions: reached } = caller;
    const where = id === undefined ? {} : { id };
    const all = await this.reads.find<FunctionDocument>(workspaceId, ownerRules[owner].collection, { where });
    const tools = all.filter(
      ({ id: one, toolSpec, isActive }) => toolSpec !== null && isActive && reached?.includes(one) !== false,
    );
    if (tools.length === 0) return [];
    const call = this.calls.by(caller, operation.name);
    const starter = await this.starters.of(call);
    const startable = tools.filter((fn) => startRefusal(fn, starter) === undefined);
    const there = owner === 'workspace' ? startable : await this.ofSites(workspaceId, startable);
    return this.scopes.allowed(call, there);
  }

  private async ofSites(workspaceId: string, functions: readonly FunctionDocument[]) {
    const ids = [...new Set(functions.flatMap(({ projectId }) => projectId ?? []))];
    const known = await Promise.all(ids.map((id) => this.sites.has(workspaceId, id)));
    return functions.filter(({ projectId = '' }) => known[ids.indexOf(projectId)] === true);
  }
}

const operations: Readonly<Record<'workspace' | 'project', OperationName>> = {
  workspace: 'automations/invokeFunction',
  project: 'site/invokeBackendFunction',
};

function operationOf(owner: 'workspace' | 'project'): RegisteredOperation {
  const name = operations[owner];
  return findOperation(name) ?? refuse('unknown-operation', { path: `/api/v1/${name}` });
}

function toolOf(fn: FunctionDocument, name: string | undefined): readonly FunctionTool[] {
  if (fn.toolSpec === null || name === undefined) return [];
  const { inputSchema, kind } = fn.toolSpec;
  const shared = {
    name,
    title: fn.name,
    description: fn.description || fn.summary || `Runs the function '${fn.name}'.`,
    inputSchema: inputSchema as JsonObject,
    kind: kind === 'read' || kind === 'destructive' ? kind : 'write',
  } as const;
  const { projectId } = fn;
  if (projectId === undefined) {
    return [
      {
        ...shared,
        operation: operationOf('workspace'),
        inputOf: (event) => ({ id: fn.id, event }),
        resultOf: ({ result }) => result,
      },
    ];
  }
  return [
    {
      ...shared,
      operation: operationOf('project'),
      inputOf: (params) => ({ projectId, functionName: fn.name, params }),
      resultOf: ({ data }) => data,
    },
  ];
}
