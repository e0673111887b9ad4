import type { CallToolResult, GetPromptResult, Prompt, Resource, Tool } from '@modelcontextprotocol/sdk/types.js';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../kernel/callers/caller.js';
import type { JsonObject } from '../../kernel/json/json.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { refuse } from '../http.refusals.js';
import { faultProblem } from '../problem.js';
import { Guides, type GuideText } from './guides.js';
import { McpSessions } from './mcp-sessions.js';
import { promptOf, prompts } from './prompts.js';
import { ServedTools } from './served-tools.js';
import { ToolCalls } from './tool-calls.js';
import { refusedResult, resultOf } from './tool-results.js';

type CallId = string | number;

export interface McpClient {
  tools(): Promise<readonly Tool[]>;
  call(
    name: string,
    params: JsonObject,
    id: CallId,
    progress: (seconds: number) => Promise<void>,
  ): Promise<CallToolResult>;
  cancel(id: CallId): Promise<void>;
  resources(): Promise<readonly Resource[]>;
  resource(uri: string): Promise<GuideText>;
  prompts(): readonly Prompt[];
  prompt(name: string, params: Readonly<Record<string, string>>): GetPromptResult;
  newSession(): string;
}

@Injectable()
export class McpClients {
  private readonly log = new Logger('Mcp');

  constructor(
    private readonly served: ServedTools,
    private readonly calls: ToolCalls,
    private readonly guides: Guides,
    private readonly sessions: McpSessions,
  ) {}

  of(request: FastifyRequest, caller: Caller, session: string | undefined): McpClient {
    const nameOf = (id: CallId) => ({ caller, session, id });
    return {
      tools: () => this.known(request, () => this.served.list(caller)),
      call: (name, params, id, progress) =>
        this.known(request, async () => {
          const work = (stop: AbortSignal) => this.called(caller, name, params, stop);
          return this.calls.run(nameOf(id), { request, progress }, work);
        }),
      cancel: (id) => this.calls.cancel(nameOf(id)),
      resources: () => this.known(request, () => this.guides.list(caller)),
      resource: (uri) => this.known(request, () => this.guides.read(caller, uri)),
      prompts: () => prompts,
      prompt: promptOf,
      newSession: () => this.sessions.begin(caller),
    };
  }

  private async called(caller: Caller, name: string, params: JsonObject, stop: AbortSignal): Promise<CallToolResult> {
    try {
      const answer = await this.served.call(caller, name, params, stop);
      return answer === undefined ? refuse('mcp-tool-not-found', { tool: name.slice(0, 100) }) : resultOf(answer);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'mcp-tool-not-found') throw error;
      return refusedResult(error);
    }
  }

  /** Rethrows refusals. Any other error is logged, and the client gets only the request id. */
  private async known<T>({ id }: FastifyRequest, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Refusal) throw error;
      this.log.error(`${id}: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown error'}`);
      throw new Error(`${faultProblem(id).body['detail']} (${id})`);
    }
  }
}
