import { All, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ClientKeys } from '../../areas/workspace/api-key/client-keys.api.js';
import { Environment } from '../../config/environment.js';
import { Through } from '../entrance/door.js';
import { mcpPath } from '../mcp/mcp-door.js';
import { OAuthClients, WrongRegistration } from './oauth-clients.js';
import { OAuthDoor } from './oauth-door.js';
import { OAuthServer, type Params } from './oauth-server.js';

type Sent = FastifyRequest<{ Body: Buffer | undefined }>;

@Controller('oauth')
export class OAuthController {
  constructor(
    private readonly clients: OAuthClients,
    private readonly server: OAuthServer,
    private readonly keys: ClientKeys,
    private readonly environment: Environment,
  ) {}

  @All('register')
  @Through(OAuthDoor)
  register(@Req() request: Sent, @Res() reply: FastifyReply): void {
    try {
      const { id, name, redirectUris } = this.clients.register(jsonOf(request));
      answer(reply, 201, {
        client_id: id,
        client_name: name,
        redirect_uris: redirectUris,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      });
    } catch (error) {
      if (!(error instanceof WrongRegistration)) throw error;
      answer(reply, 400, { error: error.code, error_description: error.message });
    }
  }

  @All('token')
  @Through(OAuthDoor)
  async token(@Req() request: Sent, @Res() reply: FastifyReply): Promise<void> {
    const body = formOf(request);
    if (!isForThisService(body, this.environment)) {
      answer(reply, 400, { error: 'invalid_target', error_description: 'resource must be the MCP endpoint.' });
      return;
    }
    const headers = { 'content-type': request.headers['content-type'] ?? '', 'transfer-encoding': 'chunked' };
    const { authorization } = request.headers;
    const sent = authorization === undefined ? headers : { ...headers, authorization };
    const { status, headers: answerHeaders, body: tokens } = await this.server.token(sent, body);
    answer(reply.headers(answerHeaders), status, tokens);
  }

  /** The response is the same for every token, so it does not reveal whether the token was valid. */
  @All('revoke')
  @Through(OAuthDoor)
  async revoke(@Req() request: Sent, @Res() reply: FastifyReply): Promise<void> {
    await this.keys.revokeBy(formOf(request)['token'] ?? '');
    answer(reply, 200, {});
  }
}

/** True if the client names this service as the resource, or names no resource at all (RFC 8707). */
export function isForThisService({ resource }: Params, { baseUrl }: Environment): boolean {
  return resource === undefined || [baseUrl, `${baseUrl}/${mcpPath}`].includes(resource.replace(/\/$/, ''));
}

const formOf = ({ body }: Sent): Params => Object.fromEntries(new URLSearchParams(body?.toString('utf8') ?? ''));

function jsonOf({ body }: Sent): unknown {
  try {
    return JSON.parse(body?.toString('utf8') ?? '');
  } catch {
    throw new WrongRegistration('invalid_client_metadata', 'The body must be JSON.');
  }
}

function answer(reply: FastifyReply, status: number, body: object): void {
  reply.code(status).header('Cache-Control', 'no-store').type('application/json').send(JSON.stringify(body));
}
