import { All, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SiteOrigins } from '../../../areas/sites/project/site-origins.api.js';
import { Environment } from '../../../config/environment.js';
import { refuse } from '../../../kernel/refusal.js';
import { Through } from '../../entrance/door.js';
import { rootOf } from '../../pages/page-request.js';
import { MailLinkDoor } from './mail-link-door.js';
import { PlatformPages } from './platform-pages.js';

const steps = ['verify-email', 'reset-password'] as const;

/**
 * Where links in mails of unpublished sites lead (sites supplement, 4). These pages hold nothing that a customer wrote but
 * escaped names, so they may be on the origin of the service.
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

  @All([...steps])
  @Through(MailLinkDoor)
  async answer(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project, address } = this.door.of(request);
    const { pathname, search: query } = new URL(request.originalUrl, 'http://localhost');
    const step = steps.find((one) => pathname.endsWith(`/${one}`));
    const visit = { project, address, user: undefined, path: `/${step}`, query };
    const base = `${this.root}/api/app/${project.id}`;
    const login =
      project.published === null
        ? undefined
        : new URL(project.authPaths['login'] ?? '/login', await this.origins.of(project)).href;
    const answer = await this.pages.answer(visit, request, { base, login });
    if (answer === null) return refuse('sign-in-off');
    reply.code(answer.status).headers(answer.headers).send(answer.text);
  }
}
