import { Injectable } from '@nestjs/common';
import { mayUse, serviceTool } from '../../../engine/authorisation/service-tool.js';
import { wholeSchema } from '../../../engine/operation/schema.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { startRefusal } from '../../../kernel/actors/run-by.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { isJsonObject, type JsonObject } from '../../../kernel/json/json.js';
import type { AssistantTool } from '../../../ports/network/assistant.port.js';
import type { FunctionDocument } from '../../functions/function/function.record.js';
import type { Agent } from '../../workspace/agent/agent.record.js';

const longestDescription = 1_000;

@Injectable()
export class OfferedTools {
  constructor(private readonly reads: Reads) {}

  async of(agent: Agent, caller: Caller): Promise<readonly AssistantTool[]> {
    const found = await Promise.all(agent.tools.map((tool) => this.find(agent, caller, tool)));
    return found.flatMap((tool) => (tool === undefined ? [] : [tool]));
  }

  private async find(agent: Agent, caller: Caller, tool: string): Promise<AssistantTool | undefined> {
    const operation = serviceTool(tool, 'agent');
    if (operation !== undefined) {
      if (!mayUse(operation, caller)) return undefined;
      return {
        name: tool,
        description: operation.summary,
        parameters: wholeSchema(operation.input) as JsonObject,
      };
    }
    const fn = await this.reads.get<FunctionDocument>(agent.workspaceId, 'functions', tool);
    return fn !== undefined && caller.permissions.has('functions.run') && isOpen(fn, agent) ? toolOf(fn) : undefined;
  }
}

function isOpen(fn: FunctionDocument, { id, name }: Agent): boolean {
  if (!fn.isActive || !fn.exposed) return false;
  return startRefusal(fn, { kind: 'agent', id, name, person: { id: '', name: '' } }) === undefined;
}

function toolOf({ id, name, description, summary, toolSpec }: FunctionDocument): AssistantTool {
  const schema = toolSpec?.['inputSchema'];
  const sentences = [`Runs the function '${name}'.`, description || summary, returnsOf(toolSpec)]
    .filter(Boolean)
    .join(' ');
  return {
    name: id,
    description: sentences.slice(0, longestDescription),
    parameters: { ...(isJsonObject(schema) ? schema : {}), type: 'object' },
  };
}

const returnsOf = (toolSpec: JsonObject | null) =>
  toolSpec?.['returns'] === undefined ? '' : `Returns: ${JSON.stringify(toolSpec['returns'])}`;
