import { Catch } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';
import { ProblemFilter } from '../problem.filter.js';
import type { Problem } from '../problem.js';
import { sendPage } from './layout.js';
import { rootOf } from './page-request.js';
import { problemPage } from './problem-page.js';

/** The same no, as a page for a person. */
@Catch()
export class PageProblemFilter extends ProblemFilter {
  constructor(private readonly environment: Environment) {
    super();
  }

  protected override send(reply: FastifyReply, { status, headers, body }: Problem, { id }: FastifyRequest): void {
    const frame = { root: rootOf(this.environment) };
    // Browsers would ask for a password where they find this one.
    const { 'WWW-Authenticate': _, ...kept } = headers;
    sendPage(reply.headers(kept), status, frame, problemPage(frame, String(body['title']), String(body['detail']), id));
  }
}
