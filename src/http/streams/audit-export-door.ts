import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RightsDecisions } from '../../engine/explain/rights-decisions.js';
import { findOperation } from '../../engine/operation/operation.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { mustUse } from '../allowed-methods.js';
import { Callers } from '../entrance/callers.js';
import { type Admission, Door } from '../entrance/door.js';
import { refuse } from '../http.refusals.js';
import { PageSessions } from '../pages/page-sessions.js';

/** The export requires the same permission as this operation. */
const sameRight = 'audit/getSeal';

interface Exporting extends Admission {
  readonly caller: Caller;
}

@Injectable()
export class AuditExportDoor extends Door<Exporting> {
  constructor(
    private readonly callers: Callers,
    private readonly sessions: PageSessions,
    private readonly decisions: RightsDecisions,
  ) {
    super();
  }

  protected override async judge(request: FastifyRequest): Promise<Exporting> {
    mustUse(request, 'GET');
    const { url } = request;
    const caller = await this.callerOf(request);
    this.decisions.authorise(findOperation(sameRight) ?? refuse('unknown-operation', { path: url }), caller);
    return { caller, share: { of: 'caller', name: caller.workspaceId }, limit: 0 };
  }

  private async callerOf(request: FastifyRequest): Promise<Caller> {
    const { authorization, cookie } = request.headers;
    const session = authorization === undefined ? await this.sessions.find(cookie) : undefined;
    if (session === undefined) return this.callers.callerOf(request);
    this.callers.mayCall(session.caller);
    return session.caller;
  }
}
