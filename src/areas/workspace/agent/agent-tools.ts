import { Injectable } from '@nestjs/common';
import { mayUse, serviceTool } from '../../../engine/authorisation/service-tool.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { type Startable, startRefusal } from '../../../kernel/actors/run-by.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../workspace.refusals.js';

/** A caller who adds a tool must be allowed to use it. Tools that the agent already has are not checked. */
@Injectable()
export class AgentTools {
  constructor(private readonly reads: Reads) {}

  async check(tools: readonly string[] | undefined, listed: readonly string[], call: OperationContext): Promise<void> {
    for (const [at, tool] of (tools ?? []).entries()) {
      if (tools?.indexOf(tool) !== at) wrong(at, 'is already in the list');
      if (!listed.includes(tool)) await this.checkOne(tool, at, call);
    }
  }

  private async checkOne(tool: string, at: number, { workspaceId, caller }: OperationContext): Promise<void> {
    const operation = serviceTool(tool, 'agent');
    const fn = operation ? undefined : await this.reads.get<Document & Startable>(workspaceId, 'functions', tool);
    if (operation === undefined && fn === undefined) {
      return wrong(at, `is neither a tool that an agent can use nor the id of a function: ${tool.slice(0, 100)}`);
    }
    if (caller === undefined) return;
    const may = operation ? mayUse(operation, caller) : fn !== undefined && mayStart(fn, caller);
    if (!may) refuse('agent-tool-not-yours', { tool });
  }
}

function mayStart(fn: Startable, { id, name, role, permissions }: Caller): boolean {
  return permissions.has('functions.run') && !startRefusal(fn, { kind: 'member', id, name, role, email: '' });
}

function wrong(at: number, message: string): never {
  return refuseInput([{ path: `tools[${at}]`, message }]);
}
