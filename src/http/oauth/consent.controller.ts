import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Environment } from '../../config/environment.js';
import { Through } from '../entrance/door.js';
import { refuse } from '../http.refusals.js';
import { FormDoor } from '../pages/form-doors.js';
import { sendPage } from '../pages/layout.js';
import type { PageRequest } from '../pages/page-request.js';
import { SignedInPages } from '../pages/signed-in.js';
import { consentPage, leavingPage } from './consent-page.js';
import { isForThisService } from './oauth.controller.js';
import { mayRedirect, type OAuthClient, OAuthClients } from './oauth-clients.js';
import { areasOfClients, oauthScopeOf, withinKey } from './oauth-scopes.js';
import { OAuthServer, type Params } from './oauth-server.js';

const path = '/oauth/authorize';

@Controller('oauth/authorize')
export class ConsentController {
  constructor(
    private readonly pages: SignedInPages,
    private readonly clients: OAuthClients,
    private readonly server: OAuthServer,
    private readonly environment: Environment,
  ) {}

  @Get()
  async ask(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const text = new URL(request.url, 'http://here').search.slice(1);
    const query = paramsOf(text);
    const client = this.clientOf(query);
    this.mustBeWhole(query);
    const signedIn = await this.pages.page(request, reply, `${path}?${new URLSearchParams(query)}`);
    if (signedIn === undefined) return;
    const { frame, session } = signedIn;
    if (session.caller.kind !== 'person') refuse('oauth-person-only');
    const scope = withinKey(oauthScopeOf(query['scope']), session.caller);
    const shown = { client: client.name, redirectUri: query['redirect_uri'] ?? '', query: text, scope };
    sendPage(reply, 200, frame, consentPage(frame, session, shown));
  }

  @Post()
  @Through(FormDoor)
  async decide(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = await this.pages.form(request, reply, '/approvals');
    if (form === undefined) return;
    const { fields, session, frame } = form;
    const query = paramsOf(fields.get('request') ?? '');
    this.clientOf(query);
    this.mustBeWhole(query);
    if (session.caller.kind !== 'person') refuse('oauth-person-only');
    const allowed = fields.get('decision') === 'allow';
    const ticked = fields.getAll('area').filter((area) => areasOfClients().includes(area));
    const everything = ticked.length === areasOfClients().length;
    if (allowed && ticked.length === 0) refuse('oauth-nothing-given');
    const scope = { readOnly: fields.get('access') !== 'write', areas: everything ? undefined : ticked };
    const neverDeletes = fields.get('neverDeletes') === 'yes';
    const within = withinKey(scope, session.caller);
    const to = await this.server.decided(session.caller, query, { allowed, scope: within, neverDeletes });
    // Redirects by a Refresh header, because the content policy (`form-action 'self'`) blocks redirects of a form to
    // another host.
    sendPage(reply.header('Refresh', `0; url=${to}`), 200, frame, leavingPage(to, allowed));
  }

  /**
   * If the client or its redirect address is unknown, the browser must not be redirected.
   * @throws Refusal
   */
  private clientOf({ client_id: id = '', redirect_uri: to = '' }: Params): OAuthClient {
    const client = this.clients.find(id) ?? refuse('oauth-client-unknown');
    if (!mayRedirect(client, to)) refuse('oauth-redirect-unknown');
    return client;
  }

  /**
   * Errors are shown to the person and not sent to the client. Anyone can register a client, so a redirect without a
   * person's decision would be an open redirect (RFC 9700, 4.11).
   * @throws Refusal
   */
  private mustBeWhole(query: Params): void {
    const { response_type: type, code_challenge: challenge = '', code_challenge_method: method } = query;
    if (type !== 'code') refuse('oauth-request-invalid', { what: 'response_type must be code' });
    if (!/^[A-Za-z0-9_-]{43}$/.test(challenge) || method !== 'S256') {
      refuse('oauth-request-invalid', { what: 'it requires PKCE: a code_challenge with code_challenge_method S256' });
    }
    if (!isForThisService(query, this.environment)) {
      refuse('oauth-request-invalid', { what: 'resource must be the MCP endpoint of this service' });
    }
  }
}

const paramsOf = (text: string): Params => Object.fromEntries(new URLSearchParams(text));
