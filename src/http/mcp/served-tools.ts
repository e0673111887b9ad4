import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { Injectable } from '@nestjs/common';
import { type FunctionTool, FunctionTools } from '../../areas/functions/tool/function-tools.api.js';
import type { RegisteredOperation } from '../../engine/operation/operation.js';
import { withoutPasswords } from '../../engine/operation/without-passwords.js';
import { type Answer, Pipeline } from '../../engine/pipeline/pipeline.js';
import type { Caller } from '../../kernel/callers/caller.js';
import type { Json, JsonObject } from '../../kernel/json/json.js';
import { bodyLimit, largeBodyLimit } from '../body.js';
import { refuse } from '../http.refusals.js';
import { hasTool, type OperationTool, operationTools } from './operation-tools.js';

export interface ToolAnswer {
  readonly answer: unknown;
  readonly waiting: boolean;
}

interface ServedCall {
  readonly operation: RegisteredOperation;
  readonly input: JsonObject;
  shown(answer: JsonObject): unknown;
}

@Injectable()
export class ServedTools {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly functions: FunctionTools,
  ) {}

  async list(caller: Caller): Promise<readonly Tool[]> {
    const operations = [...operationTools().values()].filter((tool) => hasTool(tool, caller));
    return [...(await this.functions.list(caller)).map(shownFunction), ...operations.map(shownOperation)];
  }

  /**
   * Returns undefined if the caller has no tool with this name.
   * @throws Refusal body-too-large, and the refusals of the operation
   */
  async call(caller: Caller, name: string, params: JsonObject, stop: AbortSignal): Promise<ToolAnswer | undefined> {
    const found = await this.find(caller, name, params);
    if (found === undefined) return undefined;
    const { operation, input, shown } = found;
    const body = Buffer.from(JSON.stringify(input), 'utf8');
    const limit = operation.body === 'large' ? largeBodyLimit : bodyLimit;
    if (body.length > limit) refuse('body-too-large', { limit });
    const arrival = { operation: operation.name, contentType: 'application/json', dryRun: undefined };
    const admitted = await this.pipeline.admit(arrival, async () => caller);
    const answer = await this.pipeline.handle(admitted, { idempotencyKey: undefined, body, stop });
    return { answer: this.toBeRead(caller, operation, answer, shown), waiting: answer.waiting };
  }

  private async find(caller: Caller, name: string, params: JsonObject): Promise<ServedCall | undefined> {
    const tool = operationTools().get(name);
    if (tool !== undefined) {
      const { operation } = tool;
      return hasTool(tool, caller) ? { operation, input: params, shown: (answer) => answer } : undefined;
    }
    const fn = await this.functions.find(caller, name);
    return fn && { operation: fn.operation, input: fn.inputOf(params), shown: (answer) => fn.resultOf(answer) };
  }

  /** Passwords are removed from the answer if the caller is an agent. */
  private toBeRead(
    { kind }: Caller,
    { answers }: RegisteredOperation,
    { body, waiting }: Answer,
    shown: ServedCall['shown'],
  ): unknown {
    if (waiting) return body;
    const read = kind === 'agent' ? withoutPasswords(answers, body as Json) : body;
    return shown(read as JsonObject);
  }
}

function shownOperation({ name, description, inputSchema, operation }: OperationTool): Tool {
  return {
    name,
    description,
    inputSchema: inputSchema as Tool['inputSchema'],
    annotations: {
      readOnlyHint: operation.effect === 'query',
      destructiveHint: operation.takesAway !== undefined,
    },
  };
}

/** MCP requires input schemas of the type `object`, which the parameters of a function always are. */
function shownFunction({ name, title, description, inputSchema, kind }: FunctionTool): Tool {
  return {
    name,
    title,
    description,
    inputSchema: { ...inputSchema, type: 'object' } as Tool['inputSchema'],
    annotations: { readOnlyHint: kind === 'read', destructiveHint: kind === 'destructive' },
  };
}
