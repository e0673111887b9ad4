import { All, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SiteOrigins } from '../../../areas/sites/project/addresses/site-origins.api.js';
import type { Project } from '../../../areas/sites/project/project.record.js';
import { Environment } from '../../../config/environment.js';
import { mustUse } from '../../allowed-methods.js';
import { Through } from '../../entrance/door.js';
import { refuse } from '../../http.refusals.js';
import { html } from '../../pages/html.js';
import { rootOf } from '../../pages/page-request.js';
import { MailLinkDoor } from './mail-link-door.js';
import { headersOf, platformDocument } from './platform-document.js';
import type { PlatformView } from './platform-page.js';
import { PlatformPages } from './platform-pages.js';
import { stepPaths } from './sign-in-steps.js';

const steps = ['verifyEmail', 'resetPassword'] as const;

const notYet: PlatformView = {
  title: 'Sign in',
  content: html`<h1>Sign in</h1>
<p>This site is not published at present, so you cannot sign in. Your account still exists: open this link again later.</p>`,
};

/**
 * Mails link to these pages if the site is not published and so has no host (Sites supplement, 4). Serving them on the
 * service's own host is safe, because names are the only content that customers write, and names are escaped.
 */
@Controller('api/app/:projectId')
export class MailLinksController {
  private readonly root: string;

  constructor(
    private readonly door: MailLinkDoor,
    private readonly pages: PlatformPages,
    private readonly origins: SiteOrigins,
    environment: Environment,
  ) {
    this.root = rootOf(environment);
  }

  @All(steps.map((step) => stepPaths[step].slice(1)))
  @Through(MailLinkDoor)
  async answer(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project, address } = this.door.admittedOf(request);
    const { pathname, search: query } = new URL(request.originalUrl, 'http://localhost');
    const [step = 'verifyEmail'] = steps.filter((one) => pathname.endsWith(stepPaths[one]));
    const visit = { step, project, address, user: undefined, path: stepPaths[step], query };
    const base = `${this.root}/api/app/${project.id}`;
    const answer = await this.pages.answer(visit, request, { base, login: await this.loginOf(project) });
    if (answer === null) return refuse('sign-in-off');
    reply.code(answer.status).headers(answer.headers).send(answer.text);
  }

  /** There is no form for signing in on this host, because sessions of users are valid only on the site's own host. */
  @All(stepPaths.login.slice(1))
  @Through(MailLinkDoor)
  async login(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project } = this.door.admittedOf(request);
    mustUse(request, 'GET', 'HEAD');
    if (!project.authEnabled) return refuse('sign-in-off');
    const login = await this.loginOf(project);
    if (login === undefined) reply.headers(headersOf(notYet)).type('text/html; charset=utf-8');
    else reply.code(303).headers({ ...headersOf({}), Location: login });
    reply.send(login === undefined ? platformDocument(project.name, undefined, notYet) : '');
  }

  private async loginOf(project: Project): Promise<string | undefined> {
    if (project.published === null) return undefined;
    return new URL(project.authPaths['login'] ?? stepPaths.login, await this.origins.originOf(project)).href;
  }
}
