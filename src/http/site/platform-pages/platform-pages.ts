import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SitePasses } from '../../../areas/app-users/site-pass/site-passes.api.js';
import { Calls } from '../../../engine/operation/calls.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { ReadYourWrites } from '../../../engine/read-models/read-your-writes.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { refuse } from '../../http.refusals.js';
import { html } from '../../pages/html.js';
import { formOf, mustBeForm, mustComeFromHost, type PageRequest } from '../../pages/page-request.js';
import { problemOf } from '../../problem.js';
import { visitorActorOf } from '../../visitor/visitor-actor.js';
import { isOwnPath, locationOf, withNext } from '../own-path.js';
import { SiteCookie } from '../site-cookie.js';
import { LoginPage } from './login-page.js';
import { ForgotPasswordPage, ResetPasswordPage, VerifyEmailPage } from './mail-pages.js';
import { headersOf, platformDocument } from './platform-document.js';
import { PlatformForms } from './platform-forms.js';
import type { At, Links, PageRedirect, PlatformPage, PlatformView, PlatformVisit } from './platform-page.js';
import { type SignInStep, stepPaths } from './sign-in-steps.js';
import { SignUpPage } from './sign-up-page.js';
import { sentencesOf } from './wrong-input.js';

export interface PlatformAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly text: string;
}

export interface Elsewhere {
  readonly base: string;
  /** Undefined if the site is not published. */
  readonly login: string | undefined;
}

/**
 * Serves the sign-in pages. They use the same code as the visitor API, and work without a script except for signing in
 * through a provider. A form is accepted only from a page of the same host, and only from the browser to which it was
 * sent.
 */
@Injectable()
export class PlatformPages {
  private readonly pages: Readonly<Record<SignInStep, PlatformPage>>;

  constructor(
    login: LoginPage,
    signup: SignUpPage,
    forgotPassword: ForgotPasswordPage,
    resetPassword: ResetPasswordPage,
    verifyEmail: VerifyEmailPage,
    private readonly forms: PlatformForms,
    private readonly cookie: SiteCookie,
    private readonly passes: SitePasses,
    private readonly calls: Calls,
    private readonly readYourWrites: ReadYourWrites,
    private readonly personal: PersonalData,
  ) {
    this.pages = { login, signup, forgotPassword, resetPassword, verifyEmail };
  }

  /** Returns null if the site's sign-in is switched off. */
  async answer(visit: PlatformVisit, request: FastifyRequest, elsewhere?: Elsewhere): Promise<PlatformAnswer | null> {
    if (!visit.project.authEnabled) return null;
    const page = this.pages[visit.step];
    const isForm = request.method === 'POST';
    const sent = isForm ? formOf(request as PageRequest) : new URLSearchParams(visit.query);
    const form = this.forms.issue(request.headers.cookie);
    const at = this.at(visit, sent, form.formToken, elsewhere);
    const cookies = form.cookie === undefined ? [] : [form.cookie];
    const home = elsewhere === undefined ? '/' : undefined;
    try {
      const made = isForm ? await this.sent(page, at, request) : page.show(at);
      return 'to' in made ? await this.led(made, visit, request) : answerOf(200, made, visit, home, cookies);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const refusal = await this.personal.openedRefusal(visit.project.workspaceId, error);
      const { status, headers } = problemOf(refusal, request.id);
      const view = page.show({ ...at, wrong: sentencesOf(refusal, visit.project.authCustomFields) }) as PlatformView;
      const after = headers['Retry-After'];
      const answer = answerOf(status, view, visit, home, cookies);
      return { ...answer, headers: { ...answer.headers, ...(after === undefined ? {} : { 'Retry-After': after }) } };
    }
  }

  private async sent(page: PlatformPage, at: At, request: FastifyRequest): Promise<PlatformView | PageRedirect> {
    mustComeFromHost(request);
    mustBeForm(request);
    if (!this.forms.isOf(request.headers.cookie, at.sent.get('form') ?? '')) refuse('form-from-elsewhere');
    // If the site verifies addresses, the response must not reveal whether the address was already registered. So it
    // does not wait for the read models: the wait would be longer for a new user.
    if (at.step === 'signup' && at.project.authRequireEmail) return page.send(at);
    return (await this.readYourWrites.waitForOwnWrites(() => page.send(at))).answer;
  }

  private at(visit: PlatformVisit, sent: URLSearchParams, formToken: string, elsewhere?: Elsewhere): At {
    const { project, user } = visit;
    const asked = sent.get('next');
    const next = asked !== null && isOwnPath(asked) ? asked : (project.authPaths['afterLogin'] ?? '/');
    const hidden = html`<input type="hidden" name="form" value="${formToken}">
<input type="hidden" name="next" value="${next}">`;
    const actor = visitorActorOf({ projectId: project.id, ...(user && { user }) });
    return {
      ...visit,
      base: elsewhere?.base ?? '',
      next,
      hidden,
      wrong: [],
      sent,
      links: elsewhere === undefined ? linksOf(visit, asked === null ? undefined : next) : loginOnly(elsewhere),
      call: (operation) => this.calls.visiting(project, actor, operation),
    };
  }

  private async led({ to, session }: PageRedirect, { project }: PlatformVisit, { headers }: FastifyRequest) {
    const before = session && this.cookie.tokenIn(headers.cookie);
    if (before !== undefined) await this.passes.revoke(project, before);
    const cookies = session === undefined ? [] : [this.cookie.headerFor(session), this.forms.noCookie()];
    return {
      status: 303,
      headers: {
        ...headersOf({}),
        Location: locationOf(to),
        ...(cookies.length === 0 ? {} : { 'Set-Cookie': cookies }),
      },
      text: '',
    };
  }
}

function answerOf(
  status: number,
  view: PlatformView,
  { project }: PlatformVisit,
  home: string | undefined,
  cookies: string[],
) {
  return {
    status,
    headers: {
      ...headersOf(view),
      'Content-Type': 'text/html; charset=utf-8',
      ...(cookies.length === 0 ? {} : { 'Set-Cookie': cookies }),
    },
    text: platformDocument(project.name, home, view),
  };
}

function linksOf({ project }: PlatformVisit, next: string | undefined): Links {
  const { authPaths, authAllowSignup } = project;
  const to = (path: string) => (next === undefined ? path : withNext(path, next));
  return {
    login: to(authPaths['login'] ?? stepPaths.login),
    ...(authAllowSignup ? { signup: to(authPaths['signup'] ?? stepPaths.signup) } : {}),
    forgotPassword: authPaths['forgotPassword'] ?? stepPaths.forgotPassword,
  };
}

const loginOnly = ({ login }: Elsewhere): Links => (login === undefined ? {} : { login });
