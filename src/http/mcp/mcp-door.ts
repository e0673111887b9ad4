import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { mustUse } from '../allowed-methods.js';
import { largeBodyLimit } from '../body.js';
import { Callers } from '../entrance/callers.js';
import { type Admission, Door } from '../entrance/door.js';
import { headerOf } from '../header-of.js';
import { refuse } from '../http.refusals.js';
import { McpSessions } from './mcp-sessions.js';

export const mcpPath = 'mcp';

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Of a service on this machine, pages of this machine are its own. A page whose name leads here by DNS is not. */
function isLocal(origin: string, { headers: { host = '' } }: FastifyRequest): boolean {
  const names = [URL.parse(origin)?.hostname, URL.parse(`http://${host}`)?.hostname];
  return names.every((name) => name !== undefined && loopback.includes(name));
}

interface Client extends Admission {
  readonly caller: Caller;
  /** Left out: the client keeps none, which it may. */
  readonly session?: string;
}

/** The door to the MCP endpoint. It tells clients without a valid key where they get one. */
@Injectable()
export class McpDoor extends Door<Client> {
  private readonly origin: string;
  private readonly metadata: string;

  constructor(
    { baseUrl }: Environment,
    private readonly callers: Callers,
    private readonly sessions: McpSessions,
  ) {
    super();
    this.origin = new URL(baseUrl).origin;
    this.metadata = `${baseUrl}/.well-known/oauth-protected-resource/${mcpPath}`;
  }

  protected override async judge(request: FastifyRequest): Promise<Client> {
    // No messages are sent but answers, and sessions hold nothing that could be ended.
    mustUse(request, 'POST');
    const { origin } = request.headers;
    if (origin !== undefined && origin !== this.origin && !isLocal(origin, request)) refuse('mcp-origin-refused');
    if (!/^application\/json *(;|$)/i.test(request.headers['content-type'] ?? '')) refuse('media-type-not-supported');
    const caller = await this.callerOf(request);
    const session = headerOf(request, 'mcp-session-id');
    if (session !== undefined && !this.sessions.isOf(caller, session)) refuse('mcp-session-not-found');
    const share = { of: 'caller', name: caller.workspaceId } as const;
    return { caller, share, limit: largeBodyLimit, ...(session && { session }) };
  }

  private async callerOf(request: FastifyRequest): Promise<Caller> {
    try {
      return await this.callers.of(request);
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind !== 'unauthenticated') throw error;
      const wrong = error.code === 'key-invalid' ? ', error="invalid_token"' : '';
      const authenticate = `Bearer resource_metadata="${this.metadata}"${wrong}`;
      throw error.with({ authenticate });
    }
  }
}
