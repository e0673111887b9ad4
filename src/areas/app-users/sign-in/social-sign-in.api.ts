import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Ids } from '../../../ports/ids.port.js';
import { SocialSignIn, SocialSignInFailed } from '../../../ports/network/social-sign-in.port.js';
import type { Project } from '../../sites/project/project.record.js';
import { SiteUsers } from '../app-user/site-users.api.js';
import { refuse } from '../app-users.refusals.js';
import type { IssuedPass } from '../site-pass/site-passes.api.js';
import { SignInTries } from './sign-in-tries.js';
import { SignIns } from './sign-ins.api.js';
import { SiteLinks } from './site-links.js';
import { SocialSecrets } from './social-secrets.js';
import { SocialUsers } from './social-users.js';
import { type VisitorUser, VisitorUsers } from './visitor-user.api.js';

export interface SocialExchange {
  readonly code: string;
  /** The PKCE verifier, if the page began the sign-in with a `challenge`. */
  readonly verifier: string | undefined;
  /** Value of the cookie that was set when the sign-in began. */
  readonly browser: string | undefined;
  readonly address: string;
}

/**
 * A cookie binds the sign-in to the browser that began it. At the end, the page receives a code in the fragment of its
 * address, which browsers do not send to servers. The code can be used once, within a minute: by the holder of the
 * verifier if the sign-in began with a PKCE challenge, otherwise by the same browser.
 */
@Injectable()
export class SocialSignIns {
  constructor(
    private readonly social: SocialSignIn,
    private readonly secrets: SocialSecrets,
    private readonly people: SocialUsers,
    private readonly users: SiteUsers,
    private readonly signIns: SignIns,
    private readonly tries: SignInTries,
    private readonly shown: VisitorUsers,
    private readonly links: SiteLinks,
    private readonly ids: Ids,
  ) {}

  /** A sign-in that begins on the site's own host is redirected to the service's host. Returns the address there. */
  beginningAt(project: Project, provider: string, query: URLSearchParams): string {
    const address = new URL(this.links.ofApi(project, `auth/social/${encodeURIComponent(provider)}`));
    const challenge = query.get('challenge');
    if (challenge !== null) address.searchParams.set('challenge', challenge);
    return address.href;
  }

  providersOf({ authEnabled, authAllowSocial }: Project): readonly string[] {
    return authEnabled && authAllowSocial ? this.social.names() : [];
  }

  /**
   * Returns the address of the provider to which the browser is redirected.
   * @throws Refusal sign-in-off, social-off, social-provider-unknown, social-away
   */
  async begin(project: Project, provider: string, browser: string, challenge: string | null): Promise<string> {
    this.mustAllow(project, provider);
    const nonce = this.ids.token();
    const codeVerifier = `${this.ids.token()}${this.ids.token()}`;
    const flow = {
      projectId: project.id,
      provider,
      nonce,
      codeVerifier,
      browser: this.secrets.digest(browser),
      challenge,
    };
    const state = await this.secrets.issue(project.workspaceId, 'flow', flow);
    try {
      return await this.social.begin(provider, { ...flow, state, redirectUri: this.redirectUri(project, provider) });
    } catch (error) {
      if (error instanceof SocialSignInFailed) return refuse('social-away', { why: error.message });
      throw error;
    }
  }

  /**
   * Returns the address to which the browser is redirected: the page after log-in, with a code, or the log-in page,
   * with the reason of the failure.
   * @throws Refusal sign-in-off, social-off, social-provider-unknown, visitors-quota; social-flow-unknown, if this
   * browser did not begin the sign-in
   */
  async finish(
    call: OperationContext,
    project: Project,
    provider: string,
    browser: string | undefined,
    answer: URLSearchParams,
  ): Promise<string> {
    this.mustAllow(project, provider);
    const { workspaceId, id: projectId } = project;
    const state = answer.get('state') ?? '';
    const digest = browser === undefined ? undefined : this.secrets.digest(browser);
    const flow = await this.secrets.redeem(
      workspaceId,
      'flow',
      state,
      (one) => one.projectId === projectId && one.provider === provider && one.browser === digest,
    );
    if (flow === undefined) return refuse('social-flow-unknown');
    const user = await this.personBehind(call, project, { ...flow, state }, answer);
    if (typeof user === 'string') return this.landing(project, 'login', `sign-in-error=${user}`);
    const code = await this.secrets.issue(workspaceId, 'code', {
      projectId,
      userId: user.id,
      generation: user.passGeneration,
      browser: flow.browser,
      challenge: flow.challenge,
    });
    return this.landing(project, 'afterLogin', `sign-in-code=${code}`);
  }

  /** @throws Refusal sign-in-off, social-off, social-code-invalid */
  async exchange(
    call: OperationContext,
    project: Project,
    { code, verifier, browser, address }: SocialExchange,
  ): Promise<{ readonly user: VisitorUser; readonly session: IssuedPass }> {
    this.mustAllow(project);
    const { workspaceId, id: projectId } = project;
    const digest = browser === undefined ? undefined : this.secrets.digest(browser);
    const challenge = verifier === undefined ? undefined : challengeOf(verifier);
    // A page that began with a challenge can be on another host, which does not receive the cookie, so the challenge is
    // compared instead.
    const pending = await this.secrets.redeem(workspaceId, 'code', code, (one) => {
      const isSame = one.challenge === null ? one.browser === digest : one.challenge === challenge;
      return one.projectId === projectId && isSame;
    });
    const user = pending && (await this.users.find(workspaceId, pending.userId));
    if (user === undefined || user.isBanned || user.passGeneration !== pending?.generation) {
      return refuse('social-code-invalid');
    }
    const session = await this.signIns.begin(call, user);
    await this.tries.trust({ workspaceId, projectId, email: user.email, address });
    return { user: await this.shown.shown(user), session };
  }

  private async personBehind(
    call: OperationContext,
    project: Project,
    flow: { readonly provider: string; readonly state: string; readonly nonce: string; readonly codeVerifier: string },
    answer: URLSearchParams,
  ) {
    const { provider } = flow;
    try {
      const redirectUri = this.redirectUri(project, provider);
      const person = await this.social.finish(provider, { ...flow, redirectUri }, answer);
      return await this.people.of(call, project, provider, person);
    } catch (error) {
      if (error instanceof SocialSignInFailed) return error.kind;
      throw error;
    }
  }

  private mustAllow({ authEnabled, authAllowSocial }: Project, provider?: string): void {
    if (!authEnabled) refuse('sign-in-off');
    if (!authAllowSocial) refuse('social-off');
    if (provider !== undefined && !this.social.has(provider)) refuse('social-provider-unknown');
  }

  private redirectUri(project: Project, provider: string): string {
    return this.links.ofApi(project, `auth/social/${provider}/callback`);
  }

  private async landing(project: Project, page: 'login' | 'afterLogin', fragment: string): Promise<string> {
    const url = await this.links.to(project, page);
    url.hash = fragment;
    return url.href;
  }
}

/** Derives a PKCE challenge (RFC 7636). */
const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');
