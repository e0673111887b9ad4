import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { refusalOfError } from '../engine/cluster/refusal-of-error.js';
import { throttledLog } from '../kernel/throttled-log.js';
import { siteRoute } from './hosts/site-route.js';
import { sendPage } from './pages/layout.js';
import { rootOf } from './pages/page-request.js';
import { problemPage } from './pages/problem-page.js';
import { faultProblem, type Problem, problemOf, refusalOfStatus } from './problem.js';
import { plainPageOf, sendPlainPage } from './site/plain-page.js';

/**
 * Codes of refusals whose messages are shown on pages of sites, because only members of the workspace can see these
 * refusals.
 */
const ofMembers = new Set(['preview-busy', 'preview-not-built']);

/**
 * Pages for people (below /approvals, /audit, /preview, /app and /oauth/authorize, and the pages of sites) get an HTML
 * page; everything else gets problem+json. Logs faults of the service, unavailable stores and unreadable events, but no
 * other refusals.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly log = new Logger('Http');
  private readonly warn = throttledLog((sentence) => this.log.warn(sentence));

  constructor(private readonly environment: Environment) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const problem = this.problem(error, request);
    if (!reply.sent) this.send(reply, problem, request);
  }

  private send(reply: FastifyReply, { status, headers, body }: Problem, request: FastifyRequest): void {
    const route = request.routeOptions?.url;
    if (route === siteRoute) {
      const { 'WWW-Authenticate': _, ...remaining } = headers;
      sendPlainPage(
        reply,
        plainPageOf(status),
        remaining,
        ofMembers.has(String(body['code'])) ? String(body['detail']) : undefined,
      );
      return;
    }
    if (!/^\/(approvals|audit|preview|app|oauth\/authorize)(\/|$)/.test(route ?? '')) {
      reply.code(status).headers(headers).type('application/problem+json').send(JSON.stringify(body));
      return;
    }
    const frame = { root: rootOf(this.environment) };
    // This header would make browsers show a password prompt.
    const { 'WWW-Authenticate': _, ...remaining } = headers;
    const page = problemPage(frame, String(body['title']), String(body['detail']), request.id);
    sendPage(reply.headers(remaining), status, frame, page);
  }

  private problem(error: unknown, request: FastifyRequest): Problem {
    const refusal = refusalOfError(error, (sentence) => {
      this.warn(sentence);
      this.log.debug(`Request ${request.id} was refused: ${sentence}`);
    });
    if (refusal !== undefined) return problemOf(refusal, request.id);
    const status = statusOf(error);
    if (status >= 400 && status < 500) {
      return problemOf(refusalOfStatus(status, request.originalUrl.split('?')[0] ?? ''), request.id);
    }
    this.log.error(
      `${request.id} ${request.method} ${request.routeOptions.url ?? 'unknown route'}: ${detailOf(error)}`,
    );
    return faultProblem(request.id);
  }
}

function statusOf(error: unknown): number {
  if (typeof error !== 'object' || error === null) return 500;
  if ('getStatus' in error && typeof error.getStatus === 'function') return Number(error.getStatus());
  return 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
}

const detailOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : 'unknown error');
