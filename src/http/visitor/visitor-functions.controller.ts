import { Controller, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { RunReport } from '../../areas/functions/run/run-request.api.js';
import { SiteFunctionCalls, type VisitorCall } from '../../areas/functions/run/visitors/site-function-calls.api.js';
import { headerOf } from '../header-of.js';
import { refuse } from '../http.refusals.js';
import { type ReadRequest, VisitorAnswers } from './visitor-answers.js';
import { VisitorDoor } from './visitor-door.js';
import { type VisitorRoute, Visits } from './visitor-route.js';
import { FunctionResult } from './visitor-shapes.js';

const runs = {
  method: 'POST',
  tag: 'functions',
  headers: { 'X-Page-Id': "Id of the page that the visitor is on. Needed if the function's rules name pages." },
  body: 'any',
  answers: { record: FunctionResult },
  refuses: [
    'execute-refused',
    'no-access-rules',
    'target-inactive',
    'params-invalid',
    'function-failed',
    'visitors-quota',
    'runs-quota',
  ],
} as const satisfies Partial<VisitorRoute>;

@Controller('api/app/:projectId')
export class VisitorFunctionsController {
  constructor(
    private readonly door: VisitorDoor,
    private readonly answers: VisitorAnswers,
    private readonly functions: SiteFunctionCalls,
  ) {}

  @Visits(VisitorDoor, {
    ...runs,
    path: 'functions/:name',
    id: 'callFunction',
    summary: 'Runs a function of the site by its name. The body becomes its params.',
  })
  ofSite(@Param('name') name: string, @Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.run(name, request, reply, (call) => this.functions.call(call));
  }

  @Visits(VisitorDoor, {
    ...runs,
    path: 'account-functions/:name',
    id: 'callAccountFunction',
    summary: 'Runs a function of the workspace by its id or name. The body becomes its params.',
  })
  ofWorkspace(@Param('name') name: string, @Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.run(name, request, reply, (call) => this.functions.callOfWorkspace(call));
  }

  private async run(
    functionName: string,
    request: ReadRequest,
    reply: FastifyReply,
    start: (call: VisitorCall) => Promise<RunReport>,
  ): Promise<void> {
    const { project, visitor } = this.door.admittedOf(request);
    const { workspaceId, id: projectId } = project;
    const params = this.answers.objectOf(request);
    const about = { workspaceId, projectId, functionName, params, visitor: visitor.visitor, pageId: pageOf(request) };
    await this.answers.send(reply, workspaceId, async () => answerOf(await start(about)));
  }
}

/** The page's id is recorded, so a text that cannot be an id is ignored. */
function pageOf(request: ReadRequest): string | null {
  const sent = headerOf(request, 'x-page-id') ?? '';
  return /^[A-Za-z0-9_-]{1,64}$/.test(sent) ? sent : null;
}

/**
 * @throws Refusal function-failed, with the function's error message; or the refusal that ended a built-in data
 * function
 */
function answerOf(report: RunReport): object {
  if (report.ok) return { success: true, data: report.result, executionTime: report.durationMs };
  if (report.refusal !== undefined) throw report.refusal;
  const { error } = report;
  return refuse('function-failed', { error }, { success: false, error });
}
