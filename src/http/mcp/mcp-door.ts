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

/** Checking the host too prevents DNS rebinding, where a foreign page's own host name resolves to this machine. */
function isLocal(origin: string, { headers: { host = '' } }: FastifyRequest): boolean {
  const names = [URL.parse(origin)?.hostname, URL.parse(`http://${host}`)?.hostname];
  return names.every((name) => name !== undefined && loopback.includes(name));
}

interface Client extends Admission {
  readonly caller: Caller;
  readonly session?: string;
}

/** The refusal of a missing or invalid key contains the address of the metadata that describes how to get a key. */
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
    // GET would open a stream of server messages, of which there are none. DELETE would end a session, but sessions
    // have no state.
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
      return await this.callers.callerOf(request);
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind !== 'unauthenticated') throw error;
      const wrong = error.code === 'key-invalid' ? ', error="invalid_token"' : '';
      const authenticate = `Bearer resource_metadata="${this.metadata}"${wrong}`;
      throw error.with({ authenticate });
    }
  }
}
