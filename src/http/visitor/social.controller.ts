import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { SocialSignIns } from '../../areas/app-users/sign-in/social-sign-in.api.js';
import { Environment } from '../../config/environment.js';
import { Calls } from '../../engine/operation/calls.js';
import { Field } from '../../kernel/field/field.js';
import { refuseInput } from '../../kernel/field/refuse-input.js';
import { Ids } from '../../ports/ids.port.js';
import { visitorBodies } from '../body.js';
import { headerOf } from '../header-of.js';
import { RequestHosts } from '../hosts/request-hosts.js';
import { PageCookie } from '../pages/page-cookie.js';
import { visitorActorOf } from './visitor-actor.js';
import { type ReadRequest, VisitorAnswers } from './visitor-answers.js';
import { VisitorDoor, VisitorReadDoor } from './visitor-door.js';
import { Visits } from './visitor-route.js';
import { SignedIn } from './visitor-shapes.js';

export class SocialExchangeBody {
  @Field({ type: 'string', maxLength: 200 }) code!: string;
  @Field({ type: 'string', minLength: 43, maxLength: 128, optional: true }) verifier?: string;
}

class SocialBeginning {
  @Field({
    type: 'string',
    pattern: /^[A-Za-z0-9_-]{43}$/,
    optional: true,
    description: 'SHA-256 of a verifier, in base64url. The exchange then requires the verifier.',
  })
  challenge?: string;
}

type ProviderRequest = ReadRequest & { readonly params: { readonly provider: string } };

/** SHA-256 hash in base64url (PKCE). */
const challengeForm = /^[A-Za-z0-9_-]{43}$/;

/**
 * The browser is redirected to the provider, and back to the site with a code. A page of the site exchanges the code
 * for a session.
 */
@Controller('api/app/:projectId')
export class SocialController {
  /**
   * The cookie recognises the browser when it comes back from the provider. Cookies with `Lax` are sent with such
   * redirects, but not with forms or scripts of other sites.
   */
  private readonly cookie: PageCookie;

  constructor(
    private readonly door: VisitorDoor,
    private readonly readDoor: VisitorReadDoor,
    private readonly answers: VisitorAnswers,
    private readonly calls: Calls,
    private readonly social: SocialSignIns,
    private readonly ids: Ids,
    private readonly hosts: RequestHosts,
    environment: Environment,
  ) {
    this.cookie = new PageCookie(environment, { name: 'site_sign_in', lastsSeconds: 600, sameSite: 'Lax' });
  }

  @Visits(VisitorDoor, {
    method: 'POST',
    path: 'auth/social/exchange',
    id: 'exchangeSocialCode',
    tag: 'sign-in',
    summary: 'Exchanges the code from a sign-in at a provider for a session.',
    body: SocialExchangeBody,
    answers: { record: SignedIn },
    refuses: ['sign-in-off', 'social-off', 'social-code-invalid'],
    limit: visitorBodies.small,
  })
  async exchange(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project, visitor, address } = this.door.admittedOf(request);
    const { code, verifier } = this.answers.inputOf(request, SocialExchangeBody);
    const call = this.calls.visiting(project, visitorActorOf(visitor), 'site/socialSignIn');
    const sent = { code, verifier, browser: this.browserOf(request), address };
    await this.answers.send(reply, project.workspaceId, () => this.social.exchange(call, project, sent));
  }

  @Visits(VisitorReadDoor, {
    method: 'GET',
    path: 'auth/social/:provider',
    id: 'beginSocialSignIn',
    tag: 'sign-in',
    summary: 'Redirects the browser to a provider for sign-in.',
    query: SocialBeginning,
    answers: 'redirect',
    refuses: ['sign-in-off', 'social-off', 'social-provider-unknown', 'social-away', 'invalid-input'],
  })
  async begin(@Req() request: ProviderRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project } = this.readDoor.admittedOf(request);
    // The provider redirects the browser to the service's own host, so the cookie must be set on that host. A browser
    // on a site's host is therefore sent there first.
    if (this.hosts.siteOf(request) !== undefined)
      return this.lead(reply, this.social.beginningAt(project, request.params.provider, queryOf(request)));
    const challenge = queryOf(request).get('challenge');
    if (challenge !== null && !challengeForm.test(challenge)) {
      refuseInput([{ path: 'challenge', message: 'must be the SHA-256 of your verifier, in base64url' }]);
    }
    // A browser has one token for all its sign-ins in progress, because a new cookie would replace the one that the
    // earlier sign-ins need.
    const browser = this.browserOf(request) ?? this.ids.token();
    const address = await this.social.begin(project, request.params.provider, browser, challenge);
    reply.header('Set-Cookie', this.cookie.headerFor(browser));
    this.lead(reply, address);
  }

  @Visits(VisitorReadDoor, {
    method: 'GET',
    path: 'auth/social/:provider/callback',
    id: 'finishSocialSignIn',
    tag: 'sign-in',
    summary: 'Receives the browser from a provider, and redirects it to the site with a code to exchange.',
    description: 'Called by the provider.',
    answers: 'redirect',
    refuses: ['social-flow-unknown'],
  })
  async finish(@Req() request: ProviderRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project, visitor } = this.readDoor.admittedOf(request);
    const call = this.calls.visiting(project, visitorActorOf(visitor), 'site/socialSignIn');
    const { provider } = request.params;
    const browser = this.browserOf(request);
    this.lead(reply, await this.social.finish(call, project, provider, browser, queryOf(request)));
  }

  private browserOf(request: ReadRequest): string | undefined {
    return this.cookie.tokenIn(headerOf(request, 'cookie'));
  }

  /** The address may contain a code, so it must not get into caches or referrers. */
  private lead(reply: FastifyReply, address: string): void {
    const headers = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', Location: address };
    reply.code(303).headers(headers).send();
  }
}

const queryOf = ({ url }: ReadRequest): URLSearchParams => new URL(url, 'http://localhost').searchParams;
